/**
 * For programs that print: whoever reads their output may stop reading (`npm run -s size | head`), and that is no failure to
 * show a stack for.
 */
export function endWithReader() {
  process.stdout.on("error", (error) => {
    if (error.code !== "EPIPE") throw error;
    process.exit();
  });
}
