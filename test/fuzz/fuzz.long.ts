/** A hundred thousand requests, or as many as FUZZ_REQUESTS says. `npm run long -- fuzz` */
process.env.FUZZ_REQUESTS ??= '100000';
await import('./fuzz.test.ts');
