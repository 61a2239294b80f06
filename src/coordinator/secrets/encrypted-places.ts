/**
 * The places of encrypted secrets in the database. A secret in another place would become unreadable when its key is
 * removed.
 */

import { IDEMPOTENCY_PURPOSE } from '../../api/shared/idempotency.ts';
import { STRIKE_CREDENTIALS } from '../../api/strikes/service.ts';
import { WORKSPACE_CREDENTIALS } from '../../api/workspaces/encrypted-credentials.ts';
import { purposeOfJobType } from '../../store/job-type/save.ts';
import type { EncryptedPlace } from '../../store/secret-key/re-encryption.ts';

export const ENCRYPTED_PLACES: readonly EncryptedPlace[] = [
  { table: 'job_type', column: 'secrets', purposeOf: purposeOfJobType },
  {
    ...{ table: 'workspace', column: 'configuration', path: ['broker', 'credentials', 'sealed'] },
    purposeOf: () => WORKSPACE_CREDENTIALS,
  },
  {
    ...{ table: 'strike', column: 'configuration', path: ['monitor', 'credentials', 'sealed'] },
    purposeOf: () => STRIKE_CREDENTIALS,
  },
  { table: 'idempotency_key', column: 'fingerprint', purposeOf: () => IDEMPOTENCY_PURPOSE },
  { table: 'idempotency_key', column: 'secret_record', purposeOf: () => IDEMPOTENCY_PURPOSE },
];
