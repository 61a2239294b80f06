/** The torture for an hour, or for as many seconds as TORTURE_SECONDS says. `npm run long -- torture` */
process.env.TORTURE_SECONDS ??= '3600';
await import('./torture.test.ts');
