/** Advice of the service names calls of its interface. On the command line, it names the commands for these calls. */

import type { components } from '../../client/operations.ts';

interface Subject {
  readonly kind: string;
  readonly name: string | null;
}

/**
 * Applied in this order; the last entries are for calls that have no command. Advice may quote names: characters that a
 * shell expands never become part of a command.
 */
const COMMANDS: readonly (readonly [call: RegExp, command: string])[] = [
  [/POST \/v6\/(?:strikes|workspaces|job-types|recipe-types)\//g, '`millrace apply -f FILE`'],
  [/POST \/v6\/login\//g, '`millrace login`'],
  [/(PATCH|POST) (\/v6\/[\w/{}?=&-]*) (\{[^{}']*\})/g, "`echo '$3' | millrace api $1 $2 -d -`"],
  [/(?<!api )(PATCH|POST|PUT) (\/v6\/[\w/{}?=&-]*)/g, '`millrace api $1 $2 -d FILE`'],
  [/(?<!api )(GET|DELETE) (\/v6\/[\w/{}?=&-]*)/g, '`millrace api $1 $2`'],
];
const PLAIN_NAME = /^\w[\w.-]*$/;

/** The call that helps, as the cause names it. */
type Action = NonNullable<components['schemas']['Cause']['action']>;

/** Whole calls, with their bodies. */
const ACTIONS: readonly (readonly [call: RegExp, command: string])[] = [
  [/^GET \/v6\/recipes\/(\d+)\/why\/$/, 'why recipe $1'],
  [/^POST \/v6\/jobs\/requeue\/ {"job_ids":\[([\d,]+)\]}$/, 'job requeue $1'],
  [/^PATCH \/v6\/scheduler\/ {"is_paused":false}$/, 'resume'],
  [/^POST \/v6\/scans\/(\d+)\/process\/ {"ingest":true}$/, 'scan start id:$1'],
  [/^PATCH \/v6\/strikes\/(\d+)\/ {"is_paused":false}$/, 'strike resume id:$1'],
];
const NODE_RESUME = /^PATCH \/v6\/nodes\/\d+\/ {"is_paused":false}$/;

/** The command for a call, in backticks. `subjects`: the records that the cause is about. */
export function commandOf({ method, path, body }: Action, subjects: readonly Subject[]): string {
  const call = `${method} ${path}${body === null ? '' : ` ${JSON.stringify(body)}`}`;
  const node = subjects.find(({ kind, name }) => kind === 'node' && PLAIN_NAME.test(name ?? ''))?.name;
  if (node != null && NODE_RESUME.test(call)) return `\`millrace node resume ${node}\``;
  const known = ACTIONS.find(([pattern]) => pattern.test(call));
  if (known === undefined) {
    const sent = body === null ? '' : `echo '${JSON.stringify(body)}' | `;
    return `\`${sent}millrace api ${method} ${path}${body === null ? '' : ' -d -'}\``;
  }
  const [pattern, command] = known;
  return `\`millrace ${call.replace(pattern, command).replaceAll(',', ' ')}\``;
}

export function withCommands(advice: string): string {
  return COMMANDS.reduce((text, [call, command]) => text.replace(call, command), advice);
}
