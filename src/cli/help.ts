/** What `millrace help` prints. */
import { flagOf, SETTINGS, type Setting } from '../settings.ts';

const COMMANDS = [
  ['up', 'a coordinator and an agent in one process, with an embedded database'],
  ['coordinator', 'a coordinator of a cluster (needs DATABASE_URL and, beside others, NATS_URL)'],
  ['agent', 'the agent of this host'],
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
