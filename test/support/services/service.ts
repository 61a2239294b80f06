/** The interface of a test service for its host: it is started, described by environment variables, and stopped. */

/** `env` is passed to the tests; `missing` is the reason why it cannot be started, with the command that helps. */
export type Started =
  | { readonly env: Readonly<Record<string, string>>; readonly stop: () => Promise<void> }
  | { readonly missing: string };

/** Names of the services and the variables by which tests find them (see docs/testing.md). */
export const SERVICE_ENV = {
  postgres: { url: 'MILLRACE_TEST_DATABASE_URL', missing: 'MILLRACE_TEST_DATABASE_MISSING' },
  nats: { url: 'MILLRACE_TEST_NATS_URL', missing: 'MILLRACE_TEST_NATS_MISSING' },
  s3: { url: 'MILLRACE_TEST_S3_URL', missing: 'MILLRACE_TEST_S3_MISSING' },
  docker: { url: 'MILLRACE_TEST_DOCKER_HOST', missing: 'MILLRACE_TEST_DOCKER_MISSING' },
} as const;

export type ServiceName = keyof typeof SERVICE_ENV;

export const SERVICE_NAMES = Object.keys(SERVICE_ENV) as ServiceName[];
