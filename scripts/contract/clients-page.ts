/** docs/clients-differences.md: what clients of the public system send and read otherwise, from the code's table. */
import { DIFFERENCES, type Difference } from '../../src/api/compat/differences.ts';
import { SPECIAL_CALLS } from '../../src/api/compat/special-calls.ts';
import { SPELLED } from '../../src/api/compat/spellings.ts';

const PARTS: Readonly<Record<Difference['part'], string>> = { body: 'body', answer: 'answer' };

export function clientsPage(): string {
  const rows = DIFFERENCES.map(({ calls, part, at, says }) => {
    const where = at === '' ? PARTS[part] : `${PARTS[part]}, \`${at}\``;
    return `| ${calls.map(callText).join('<br>')} | ${where} | ${says} |`;
  });
  const spelled = SPELLED.flatMap(({ calls, record, at }) => {
    const where = at.map((path) => `\`${record === '' ? path : `${record}.${path}`}\``).join(', ');
    const says = '`type` `objstore` is shown as `s3`, unless it was sent as `objstore` under `/api/`';
    return [`| ${calls.map(callText).join('<br>')} | answer, ${where} | ${says} |`];
  });
  const special = SPECIAL_CALLS.map(({ call, says }) => `| ${callText(call)} | ${says} |`);
  return [
    '# Differences for clients of the public system',
    '',
    '<!-- Written by `npm run docs` from src/api/compat/differences.ts and special-calls.ts. -->',
    '',
    'Differences between calls under `/api/v6/` and the same calls under `/v6/`.',
    'See [clients.md](clients.md).',
    '',
    '| calls | where | what |',
    '| --- | --- | --- |',
    ...rows,
    ...spelled,
    '',
    '| call | what |',
    '| --- | --- |',
    ...special,
    '',
  ].join('\n');
}

function callText(call: string): string {
  const [method = '', path = ''] = call.split(' ');
  return `\`${method} ${path.replace('/v6/', '')}\``;
}
