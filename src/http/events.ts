/** Server-sent events: an answer in this form is sent to callers whose `Accept` header asks for it. */
import { streamReply } from './schema.ts';

const EVENTS_TYPE = 'text/event-stream';

export const EventsReply = streamReply(EVENTS_TYPE);

export function acceptsEvents(headers: ReadonlyMap<string, string>): boolean {
  const types = (headers.get('accept') ?? '').toLowerCase().split(',');
  return types.some((text) => {
    const [type, ...parameters] = text.split(';').map((part) => part.trim());
    return type === EVENTS_TYPE && !parameters.some((one) => /^q=0(\.0*)?$/.test(one));
  });
}
