/** The law for hooks with 200,000 files of a task, or as many as HOOKS_FILES says. `npm run long -- hooks` */
process.env.HOOKS_FILES ??= '200000';
await import('./hooks.test.ts');
