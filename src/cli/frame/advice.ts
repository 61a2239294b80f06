/** Advice of the service names calls of its interface; on the command line it names the commands that make them. */

interface Subject {
  readonly kind: string;
  readonly name: string | null;
}

/**
 * In this order: what is left at the end is a call without a command of its own. Advice may quote names: no character
 * that a shell expands becomes part of a command.
 */
const COMMANDS: readonly (readonly [call: RegExp, command: string])[] = [
  [/GET \/v6\/recipes\/(\d+)\/why\//g, '`millrace why recipe $1`'],
  [/POST \/v6\/jobs\/requeue\/ \{"job_ids": \[(\d+)\]\}/g, '`millrace job requeue $1`'],
  [/POST \/v6\/jobs\/requeue\//g, '`millrace job requeue`'],
  [/PATCH \/v6\/scheduler\/ \{"is_paused": false\}/g, '`millrace resume`'],
  [/POST \/v6\/scans\/(\d+)\/process\/ \{"ingest": true\}/g, '`millrace scan start id:$1`'],
  [/PATCH \/v6\/strikes\/(\d+)\/ \{"is_paused": false\}/g, '`millrace strike resume id:$1`'],
  [/POST \/v6\/(?:strikes|workspaces|job-types|recipe-types)\//g, '`millrace apply -f FILE`'],
  [/POST \/v6\/login\//g, '`millrace login`'],
  [/(PATCH|POST) (\/v6\/[\w/{}?=&-]*) (\{[^{}']*\})/g, "`echo '$3' | millrace api $1 $2 -d -`"],
  [/(?<!api )(PATCH|POST|PUT) (\/v6\/[\w/{}?=&-]*)/g, '`millrace api $1 $2 -d FILE`'],
  [/(?<!api )(GET|DELETE) (\/v6\/[\w/{}?=&-]*)/g, '`millrace api $1 $2`'],
];
const PLAIN_NAME = /^\w[\w.-]*$/;
const NODE_RESUME = /Set is_paused of the node to false \(PATCH \/v6\/nodes\/\{id\}\/\)/;

/** `subjects`: the records that the advice is about. */
export function withCommands(advice: string, subjects: readonly Subject[] = []): string {
  const node = subjects.find(({ kind, name }) => kind === 'node' && PLAIN_NAME.test(name ?? ''))?.name;
  const named = node == null ? advice : advice.replace(NODE_RESUME, () => `\`millrace node resume ${node}\``);
  return COMMANDS.reduce((text, [call, command]) => text.replace(call, command), named);
}
