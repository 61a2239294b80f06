/** The settings of a service, for commands that work on its database or its files. */
import type { Command } from 'commander';
import { type Config, parseConfig } from '../../config/config.ts';
import { UsageError } from './exit-codes.ts';

const FLAGS = {
  dataDir: ['--data-dir', 'the data folder, with the embedded database (MILLRACE_DATA_DIR)'],
  secretKeyFile: ['--secret-key-file', 'the file of keys for stored secrets (MILLRACE_SECRET_KEY_FILE)'],
} as const;

export type SettingOptions = Readonly<Partial<Record<keyof typeof FLAGS, string>>>;

export function withSettings(command: Command, ...names: readonly (keyof typeof FLAGS)[]): Command {
  for (const name of names) {
    const [flag, description] = FLAGS[name];
    command.option(`${flag} <path>`, description);
  }
  return command;
}

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
