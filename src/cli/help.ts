/** What `millrace help` prints. */
import type { Setting } from '../config/setting.ts';
import { flagOf, SETTINGS } from '../config/settings.ts';

const COMMANDS = [
  ['up', 'a coordinator and an agent in one process, with an embedded database'],
  ['coordinator', 'a coordinator of a cluster (needs DATABASE_URL and, beside others, NATS_URL)'],
  ['agent', 'the agent of this host'],
  ['certificates', 'makes certificates for TLS between coordinators and agents'],
  [
    'rotate-key',
    'adds a key that stored secrets are encrypted with from then on; --remove-old takes the older away',
  ],
  ['user', 'accounts: list, create, password, enable, disable, staff, plain'],
  ['token', 'tokens of accounts: list, create, revoke'],
  ['help', 'this text'],
  ['version', 'the version'],
] as const;

export function helpText(): string {
  const commands = COMMANDS.map(([name, text]) => `  ${name.padEnd(14)}${text}`);
  const settings = SETTINGS.map((setting: Setting) => {
    const flag = setting.isSecret ? '' : `, ${flagOf(setting.name)}`;
    return `  ${setting.name}${flag}\n      ${setting.description}\n      Default: ${setting.defaultText}.`;
  });
  return [
    'Usage: millrace <command> [--flag value ...]',
    '',
    'Commands:',
    ...commands,
    '',
    'Settings, as environment variables or flags (flags win):',
    ...settings,
    '',
  ].join('\n');
}
