// What job types were configured with before each edit, so that executions of then can be told with what they ran.

export const name = '0039-former-configurations';

// A coordinator of the version before keeps none of those that it replaces.
export const isBreaking = false;

export const up: readonly string[] = [
  /* sql */ `
create table job_type_former_configuration (
  job_type_id bigint not null references job_type,
  replaced timestamptz not null,                  -- it held until then
  configuration jsonb not null,
  secret_names text[] not null,                   -- settings that had a secret value
  primary key (job_type_id, replaced)
);
`,
];
