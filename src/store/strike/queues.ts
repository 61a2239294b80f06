/** Strikes by the notification queue that they read. */
import type { Sql } from '../sql/sql.ts';

// limit: strikes that get one notification.
const STRIKES_MAX = 1_000;
const READING = {
  name: 'strikes_reading',
  text: /* sql */ `
    select id, is_paused from strike
    where configuration->'monitor'->>'type' = 'objstore'
      and configuration->'monitor'->>'queue_name' = $1   -- = strike_queue_idx
      and coalesce(configuration->'monitor'->>'queue_type', 'nats') = 'nats'
    order by id limit ${STRIKES_MAX}`,
};

export interface ReadingStrike {
  readonly id: number;
  readonly isPaused: boolean;
}

/** Strikes with a queue of type `nats`, including paused ones. */
export async function strikesReading(sql: Sql, queueName: string): Promise<readonly ReadingStrike[]> {
  const rows = await sql.execute<{ id: number; is_paused: boolean }>(READING, [queueName]);
  return rows.map((row) => ({ id: row.id, isPaused: row.is_paused }));
}
