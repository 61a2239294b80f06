/** What the routes of the audit do. */
import type { AuditRecord, AuditRouteDeps } from '../http/v6/audit.ts';
import { listAudit } from '../store/queries/audit.ts';
import type { Sql } from '../store/sql.ts';
import type { AuditTrail } from './audit-trail.ts';

export function auditApp(parts: { readonly sql: Sql; readonly trail: AuditTrail }): AuditRouteDeps['audit'] {
  return {
    async list(filter, order, page) {
      // Whoever has seen an answer of ours sees its outcome.
      await parts.trail.settle();
      return listAudit<AuditRecord>(parts.sql, filter, order, page);
    },
  };
}
