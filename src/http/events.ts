/** Server-sent events: a form of an answer, for those who accept it. */
import { streamReply } from './schema.ts';

const EVENTS_TYPE = 'text/event-stream';

export const EventsReply = streamReply(EVENTS_TYPE);

export function acceptsEvents(headers: ReadonlyMap<string, string>): boolean {
  const types = (headers.get('accept') ?? '').split(',');
  return types.some((type) => type.split(';')[0]?.trim().toLowerCase() === EVENTS_TYPE);
}
