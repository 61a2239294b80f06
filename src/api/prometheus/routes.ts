/** `/metrics`: the metrics for Prometheus. docs/monitoring.md describes the metrics. */
import { defineRoute, reply } from '../../http/route.ts';
import { textReply } from '../../http/schema.ts';
import type { Parts } from '../parts.ts';

export const prometheusRoute = defineRoute({
  method: 'GET',
  path: '/metrics',
  summary: 'Figures for Prometheus',
  access: 'scrape',
  takesAnyQuery: true, // a scrape job may have parameters for others
  replies: { 200: textReply('text/plain; version=0.0.4; charset=utf-8') },
  async handle({ request }, { prometheus }: Parts<'prometheus'>) {
    return reply(200, await prometheus.scrape(request.headers.get('authorization')));
  },
});
