import { defineEntity, p } from '@mikro-orm/core';
import { bigint, identity, instant, type JsonObject } from '../sql/columns.ts';

/** What triggered jobs, recipes and batches. */
export const EventEntity = defineEntity({
  name: 'Event',
  tableName: 'event',
  properties: {
    id: identity(),
    type: p.text(),
    ruleId: bigint().nullable(),
    occurred: instant(),
    traceParent: p.string().length(55).nullable(),
    description: p.json<JsonObject>().defaultRaw(`'{}'`),
  },
});
