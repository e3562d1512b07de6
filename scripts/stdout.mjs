/**
 * For programs that print: a reader may stop reading their output (`npm run -s size | head`), and that is not a failure to
 * show a stack for.
 */
export function endWithReader() {
  process.stdout.on("error", (error) => {
    if (error.code !== "EPIPE") throw error;
    process.exit();
  });
}
