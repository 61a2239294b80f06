/** The operator's settings, from flags and the environment, as texts; `config.ts` parses them. */
import { didYouMean } from '../domain/near-names.ts';
import type { IssueList } from '../domain/validation.ts';
import type { Setting } from './setting.ts';
import { flagOf, SETTINGS, type SettingName } from './settings.ts';

/** Variables of commands that use a service (docs/cli.md). */
const OF_COMMANDS: ReadonlySet<string> = new Set(['MILLRACE_SERVER', 'MILLRACE_TOKEN', 'MILLRACE_PROFILE']);

export type SettingValues = ReadonlyMap<SettingName, string>;

const SETTING_NAMES = SETTINGS.map(({ name }) => name);

/** Flags win over the environment; an empty value counts as none. */
export function givenSettings(
  env: Readonly<Record<string, string | undefined>>,
  args: readonly string[],
  issues: IssueList,
): SettingValues {
  const values = new Map<SettingName, string>();
  for (const { name } of SETTINGS) {
    const value = env[name];
    if (value !== undefined && value !== '') values.set(name, value);
  }
  for (const name of Object.keys(env)) {
    const isOurs = /^MILLRACE_(?!TEST_)/.test(name) && !OF_COMMANDS.has(name);
    if (isOurs && !SETTINGS.some((setting) => setting.name === name))
      issues.warning('UNKNOWN_SETTING', name, `no setting has this name${didYouMean(name, SETTING_NAMES)}`);
  }
  readFlags(args, values, issues);
  return values;
}

function readFlags(args: readonly string[], values: Map<SettingName, string>, issues: IssueList): void {
  for (let index = 0; index < args.length; index += 1) {
    const [flag = '', inline] = splitOnce(args[index] ?? '', '=');
    const setting: Setting | undefined = SETTINGS.find(({ name }) => flagOf(name) === flag);
    if (setting === undefined) {
      const near = didYouMean(flag, SETTING_NAMES.map(flagOf));
      issues.error(
        'UNKNOWN_FLAG',
        flag,
        `no such flag${near === '' ? '; `millrace help` lists them' : near}`,
      );
      if (inline === undefined && args[index + 1]?.startsWith('--') === false) index += 1;
      continue;
    }
    const value = inline ?? args[index + 1];
    if (inline === undefined) index += 1;
    if (value === undefined) issues.error('VALUE_MISSING', setting.name, `${flag} needs a value`);
    else if (setting.isSecret) {
      const reason = 'arguments can be read by every user of the machine: set it in the environment instead';
      issues.error('SECRET_IN_ARGUMENTS', setting.name, reason);
    } else values.set(setting.name as SettingName, value);
  }
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
