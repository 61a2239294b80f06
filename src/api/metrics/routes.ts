/** `/v6/metrics/`: figures by hour, and their columns. */
import { type Static, Type } from '@sinclair/typebox';
import { defineList, type Listed } from '../../http/list.ts';
import type { Paging } from '../../http/request/paging.ts';
import { integers, texts } from '../../http/request/parameters.ts';
import { pathText } from '../../http/request/path-parameters.ts';
import { type TimeRange, timeRange } from '../../http/request/time-range.ts';
import { defineRoute, reply } from '../../http/route.ts';
import { document, id, integer, named, oneOf, orNull } from '../../http/schema.ts';
import { existing } from '../shared/existing.ts';

const Column = named(
  'MetricsColumn',
  Type.Object({
    name: Type.String(),
    title: Type.String(),
    description: Type.String(),
    units: oneOf(['count', 'seconds', 'bytes']),
    group: Type.String({ description: 'Name of its group.' }),
    aggregate: oneOf(['sum', 'min', 'max', 'avg'], 'How values of several choices become one.'),
  }),
);

const FIELDS = {
  name: Type.String(),
  title: Type.String(),
  description: Type.String(),
  filters: Type.Array(Type.Object({ param: Type.String(), type: Type.String() }), {
    description:
      'Fields of the choices by which a client may narrow them. They are no parameters of any call.',
  }),
  groups: Type.Array(Type.Object({ name: Type.String(), title: Type.String(), description: Type.String() })),
  columns: Type.Array(Column),
};
const MetricsType = named('MetricsType', Type.Object(FIELDS));
const MetricsTypeDetails = named(
  'MetricsTypeDetails',
  Type.Object({
    ...FIELDS,
    choices: Type.Array(document('An error, a strike or a job type.'), {
      description: 'What the figures can be restricted to, by id.',
    }),
  }),
);

const DAY = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', examples: ['2026-01-31'] });
const PlotSeries = named(
  'MetricsPlotSeries',
  Type.Object({
    column: Column,
    min_x: orNull(DAY),
    max_x: orNull(DAY),
    min_y: orNull(integer()),
    max_y: orNull(integer()),
    values: Type.Array(
      Type.Object({
        id: Type.Optional(id('The choice; absent unless there are several in the query.')),
        datetime: Type.String({
          description: 'The beginning of an hour, UTC, without a zone.',
          examples: ['2026-01-31T14:00:00'],
        }),
        value: integer(),
      }),
      { description: 'The oldest first.' },
    ),
  }),
);

export type MetricsTypeRecord = Static<typeof MetricsType>;
export type MetricsTypeDetailsRecord = Static<typeof MetricsTypeDetails>;
export type MetricsPlotRecord = Static<typeof PlotSeries>;

export interface PlotQuery {
  readonly range: TimeRange;
  readonly choice_id: readonly number[];
  readonly column: readonly string[];
  readonly group: readonly string[];
}

export interface MetricsRouteDeps {
  readonly metrics: {
    /** All types, in their order. */
    list(page: Paging): Listed<MetricsTypeRecord>;
    find(name: string): Promise<MetricsTypeDetailsRecord | undefined>;
    /** Undefined if there is no such type. Throws INVALID_PARAMETER with everything that the type does not have. */
    plot(name: string, query: PlotQuery, page: Paging): Promise<Listed<MetricsPlotRecord> | undefined>;
  };
}

const WHAT = 'type of metrics';

const list = defineList({
  path: '/v6/metrics/',
  summary: 'List types of metrics',
  record: MetricsType,
  records: ({ query }, { metrics }: MetricsRouteDeps) => metrics.list(query.paging),
});

const details = defineRoute({
  method: 'GET',
  path: '/v6/metrics/{name}/',
  summary: 'A type of metrics, with what it can be restricted to',
  params: { name: pathText },
  replies: { 200: MetricsTypeDetails },
  async handle({ params }, { metrics }: MetricsRouteDeps) {
    return reply(200, existing(await metrics.find(params.name), WHAT));
  },
});

const plot = defineList({
  path: '/v6/metrics/{name}/plot-data/',
  summary: 'Figures by hour, one series a column',
  description:
    'Both ends of the range are compared with the beginnings of hours. Columns come as they are asked for, then ' +
    'those of groups; all of the type when neither is given. Without choices the figures are of all of them together.',
  params: { name: pathText },
  query: {
    range: timeRange(),
    choice_id: integers('Ids of choices of the type.', { minimum: 1 }),
    column: texts('Names of columns.'),
    group: texts('Names of groups of columns.'),
  },
  record: PlotSeries,
  records: async ({ params, query }, { metrics }: MetricsRouteDeps) =>
    existing(await metrics.plot(params.name, query, query.paging), WHAT),
});

export const metricsRoutes = [list, details, plot];
