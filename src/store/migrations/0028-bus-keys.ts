// What other coordinators show to a coordinator that they call over gRPC. Not breaking: one of the version before has none,
// and is not called.

export const name = '0028-bus-keys';

export const isBreaking = false;

export const up: readonly string[] = [
  /* sql */ `
alter table coordinator add column bus_key text;
`,
];
