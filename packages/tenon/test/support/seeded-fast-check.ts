/**
 * fast-check as every test imports it (vitest.config.ts puts it in place of the package): with one seed, so that each run tries
 * the same inputs and a change is judged by what it changed. `npm run lab:properties` sets another one. A failure prints its seed
 * and path.
 */
import fc from "fast-check";

const SEED = 1_795_379_255;

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env["TENON_PROPERTY_SEED"] ?? SEED) });

export * from "fast-check";
// oxlint-disable-next-line import/no-default-export -- the package has one, and tests import it
export default fc;
