/** The service behind the routes of the audit. */

import type { AuditTrail } from '../../auth/audit-trail.ts';
import { listAudit } from '../../store/audit/list.ts';
import type { Sql } from '../../store/sql/sql.ts';
import type { AuditRouteDeps } from './routes.ts';

export function auditApp(parts: { readonly sql: Sql; readonly trail: AuditTrail }): AuditRouteDeps['audit'] {
  return {
    async list(filter, order, page) {
      // Callers who have seen an answer must see its status here.
      await parts.trail.settle();
      return listAudit(parts.sql, filter, order, page);
    },
  };
}
