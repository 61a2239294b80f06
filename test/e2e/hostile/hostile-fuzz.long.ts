/** 200,000 hostile requests, or as many as HOSTILE_REQUESTS says. `npm run long -- hostile-fuzz` */
process.env.HOSTILE_REQUESTS ??= '200000';
await import('./hostile-fuzz.test.ts');
