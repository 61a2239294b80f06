/** The options for settings of a service, of commands that work on its database or its files. */
import type { Command } from 'commander';

export const FLAGS = {
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
