/** The configuration of a service, for commands that work on its database or its files. */
import { type Config, parseConfig } from '../../config/config.ts';
import { UsageError } from './exit-codes.ts';
import { FLAGS, type SettingOptions } from './settings.ts';

/** Options win over the environment. Throws a UsageError with every problem. */
export function readConfig(
  env: Readonly<Record<string, string | undefined>>,
  options: SettingOptions,
): Config {
  const args = Object.entries(FLAGS).flatMap(([name, [flag]]) => {
    const value = options[name as keyof typeof FLAGS];
    return value === undefined ? [] : [flag, value];
  });
  const checked = parseConfig('up', env, args);
  if (checked.ok) return checked.value;
  throw new UsageError(...checked.errors.map(({ path, description }) => `${path}: ${description}`));
}
