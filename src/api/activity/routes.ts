/** `/v6/activity/` and `/v6/nodes/use/`: the last day by the minute. */
import { Type } from '@sinclair/typebox';
import { defineList } from '../../http/list.ts';
import { integers } from '../../http/request/parameters.ts';
import { timeRange } from '../../http/request/time-range.ts';
import { instant, integer, named, orNull } from '../../http/schema.ts';
import { LAGS_MAX, listActivity, listNodeUse } from '../../store/metrics/activity.ts';
import type { Parts } from '../parts.ts';
import { count } from '../shared/records.ts';

const DAY_MS = 86_400_000;
const minute = instant('When the minute began.');
const lag = orNull(integer({ minimum: 0, description: 'Milliseconds; null if no lag was measured.' }));

const Activity = named(
  'Activity',
  Type.Object({
    time: minute,
    ingested_count: integer({ minimum: 0, description: 'Files that became INGESTED.' }),
    recipe_count: integer({
      minimum: 0,
      description: 'Recipes that were completed; recipes inside others are not counted.',
    }),
    product_count: integer({ minimum: 0, description: 'Products that were recorded.' }),
    lag_count: integer({ minimum: 0, description: 'Products whose lag was measured.' }),
    lag_p50_ms: lag,
    lag_p95_ms: lag,
    lag_max_ms: lag,
  }),
);

const Amounts = Type.Record(Type.String(), Type.Number(), {
  description: 'cpus in cores; mem and disk in MiB; gpus in units.',
});
const NodeUse = named(
  'NodeUse',
  Type.Object({
    time: minute,
    node_count: integer({ minimum: 0, description: 'Nodes that were connected and active.' }),
    running_count: count,
    capacity: Amounts,
    used: Amounts,
  }),
);

const range = timeRange({ daysMax: 31, startDefault: (nowMs) => nowMs - DAY_MS });

const activity = defineList({
  path: '/v6/activity/',
  summary: 'What arrived, was completed and was made, by the minute',
  description: `One item for each whole minute of the last day in which a coordinator ran, the oldest first. The lag
of a product is the time from the first sight of the file that started its recipe; products of reprocessed recipes have
none. At most ${LAGS_MAX} products a minute are measured.`,
  query: { range },
  record: Activity,
  records: ({ query }, { sql }: Parts<'sql'>) => listActivity(sql, query.range, query.paging),
});

const nodeUse = defineList({
  path: '/v6/nodes/use/',
  summary: 'What nodes had and used, by the minute',
  description: `One item for each minute of the last day in which a coordinator ran, the oldest first: the resources
of the nodes that were connected and active, and the resources that their running executions held.`,
  query: { range, node_id: integers('Ids of nodes. Without it, all nodes together.', { minimum: 1 }) },
  record: NodeUse,
  records: ({ query }, { sql }: Parts<'sql'>) => listNodeUse(sql, query.node_id, query.range, query.paging),
});

export const activityRoutes = [activity, nodeUse];
