/** Twelve failovers, or as many as FAILOVERS says: how long work waits each time. `npm run long -- failover` */
process.env.FAILOVERS ??= '12';
await import('./failover.test.ts');
