/** The schema of a cause in answers. */
import { type Static, Type } from '@sinclair/typebox';
import { CAUSE_NAMES, type Cause as DomainCause, SUBJECT_KINDS } from '../../domain/cause.ts';
import { formatInstant } from '../../domain/times.ts';
import { document, instant, integer, named, oneOf, orNull } from '../../http/schema.ts';

/** An example. */
export const CAUSE = {
  name: 'nodes-busy',
  reason: 'every node that could run it is busy: host-1 has 512 MiB free, and it asks for 4 GiB of memory',
  since: null,
  amounts: [{ name: 'mem', wanted: 4096, there: 512, node: 'host-1' }],
  subjects: [{ kind: 'node', id: 1, name: 'host-1' }],
  help: 'Wait until jobs end there, cancel some, or add a node.',
  action: null,
};

export const Cause = named(
  'Cause',
  Type.Object(
    {
      name: oneOf(CAUSE_NAMES, 'For programs. The page `why` of the guide explains each; more may be added.'),
      reason: Type.String({ description: 'For people; the words may change.' }),
      since: orNull(instant('Since when it holds; null if that is not known.')),
      amounts: Type.Array(
        Type.Object({
          name: Type.String({ description: 'A resource, `jobs`, `tries`, `seconds`, …' }),
          wanted: Type.Number(),
          there: Type.Number(),
          node: orNull(Type.String({ description: 'The node that has the amount `there`.' })),
        }),
      ),
      subjects: Type.Array(
        Type.Object({
          kind: oneOf(SUBJECT_KINDS),
          id: orNull(integer({ minimum: 0, description: 'For a rule its position, from 0.' })),
          name: orNull(Type.String()),
        }),
        { description: 'The objects that the cause is about.' },
      ),
      help: orNull(Type.String({ description: 'What would help; null if there is nothing to do.' })),
      action: orNull(
        Type.Object(
          {
            title: Type.String({ description: 'What it does, as the label of a button says it.' }),
            method: oneOf(['GET', 'PATCH', 'POST'], 'A GET answers what to read next.'),
            path: Type.String(),
            body: orNull(document('What is sent.', Type.Record(Type.String(), Type.Unknown()))),
          },
          { description: 'What helps, where that is one call: it can be made as it is.' },
        ),
      ),
    },
    { examples: [CAUSE] },
  ),
);

export function recordOf({
  name,
  reason,
  sinceMs,
  amounts,
  subjects,
  help,
  action,
}: DomainCause): Static<typeof Cause> {
  return {
    ...{ name, reason, help },
    action: action && { ...action, body: action.body && { ...action.body } },
    since: sinceMs === null ? null : formatInstant(sinceMs),
    amounts: [...amounts],
    subjects: [...subjects],
  };
}
