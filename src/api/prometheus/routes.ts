/** `/metrics`: what Prometheus reads. Described to people by docs/monitoring.md. */
import { defineRoute, reply } from '../../http/route.ts';
import { textReply } from '../../http/schema.ts';

export interface PrometheusRouteDeps {
  readonly prometheus: {
    /** The figures in the text format. `authorization` is the header. Throws AppError UNAUTHENTICATED. */
    scrape(authorization: string | undefined): Promise<string>;
  };
}

export const prometheusRoute = defineRoute({
  method: 'GET',
  path: '/metrics',
  summary: 'Figures for Prometheus',
  access: 'scrape',
  takesAnyQuery: true, // a scrape job may have parameters for others
  replies: { 200: textReply('text/plain; version=0.0.4; charset=utf-8') },
  async handle({ request }, { prometheus }: PrometheusRouteDeps) {
    return reply(200, await prometheus.scrape(request.headers.get('authorization')));
  },
});
