/** The parts of a coordinator that handlers use. Each handler names those that it needs. */

import type { LoginParts } from '../auth/login.ts';
import type { OpenStreams } from '../auth/open-streams.ts';
import type { OpenIdLogin } from '../auth/openid-login.ts';
import type { Evaluator } from '../evaluator/evaluator.ts';
import type { IdPort, System } from '../kernel/mod.ts';
import type { ContentRequests } from '../rpc/content.ts';
import type { UploadRequests } from '../rpc/uploads.ts';
import type { RevisionCache } from '../store/catalog/revision-cache.ts';
import type { Encryption } from '../store/secret-key/encryption.ts';
import type { Sql } from '../store/sql/sql.ts';
import type { BusState } from '../transport/linked-transport.ts';
import type { Changes } from './changes/service.ts';
import type { ConfigurationOf } from './executions/configurations.ts';
import type { JobReads } from './jobs/service.ts';
import type { prometheusApp } from './prometheus/service.ts';
import type { RecipeReads } from './recipes/service.ts';
import type { CoordinatorWarnings } from './status/coordinator-warnings.ts';
import type { Readiness } from './status/readiness.ts';
import type { StatusKeeper } from './status/service.ts';

export interface ApiParts {
  readonly sql: Sql;
  readonly encryption: Encryption;
  readonly ids: IdPort;
  readonly revisions: RevisionCache;
  readonly evaluator: Evaluator;
  readonly system: System;
  readonly contents: ContentRequests;
  readonly uploads: UploadRequests;
  /** The size of the largest file that clients may send, in bytes. */
  readonly uploadBytesMax: number;
  /** Id of this coordinator. */
  readonly self: string;
  /** The address of its HTTP server for clients and other coordinators. */
  readonly httpAddress: string;
  readonly httpScheme: 'http' | 'https';
  readonly version: string;
  readonly readiness: Readiness;
  /** Object store of workspaces that name none. */
  readonly s3Endpoint?: string | undefined;
  readonly hasNats: boolean;
  /** The connections of this coordinator to the others. */
  readonly bus: BusState;
  /** The warnings of this coordinator. */
  readonly warnings: Pick<CoordinatorWarnings, 'writeChanges'>;
  /** Accounts, and the parts of logging in. */
  readonly logins: LoginParts;
  readonly openId: OpenIdLogin;
  readonly notifications: {
    /**
     * Resolves once the notification cannot be lost. Throws AppError UNAUTHENTICATED, NOT_FOUND (no strike reads the
     * queue), INVALID_REQUEST, TOO_LARGE; KernelError.
     */
    take(notification: {
      readonly queueName: string;
      readonly document: unknown;
      /** The value of the header `Authorization`. */
      readonly authorization: string | undefined;
    }): Promise<{ readonly objects: number; readonly skipped: number; readonly problems: string[] }>;
  };
  readonly status: Pick<StatusKeeper, 'read'>;
  readonly configurationOf: ConfigurationOf;
  readonly jobReads: JobReads;
  readonly recipeReads: RecipeReads;
  readonly changes: Changes;
  /** Open streams: answers that last as long as their client stays. */
  readonly streams: OpenStreams;
  readonly prometheus: ReturnType<typeof prometheusApp>;
  /** The image in which diagnostics run if no node runs plain processes. */
  readonly diagnosticsImage: string;
}

export type Parts<Name extends keyof ApiParts> = Pick<ApiParts, Name>;
