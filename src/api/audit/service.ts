/** What the routes of the audit do. */

import type { AuditTrail } from '../../auth/audit-trail.ts';
import { listAudit } from '../../store/audit/list.ts';
import type { Sql } from '../../store/sql/sql.ts';
import type { AuditRecord, AuditRouteDeps } from './routes.ts';

export function auditApp(parts: { readonly sql: Sql; readonly trail: AuditTrail }): AuditRouteDeps['audit'] {
  return {
    async list(filter, order, page) {
      // Whoever has seen an answer of ours sees its outcome.
      await parts.trail.settle();
      return listAudit<AuditRecord>(parts.sql, filter, order, page);
    },
  };
}
