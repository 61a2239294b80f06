/** Commands that run a service, or work on its database and files. Their code is loaded at a call. */
import type { Command } from 'commander';
import { flagOf, SETTINGS } from '../../config/settings.ts';
import type { AccountsCommand } from '../accounts.ts';
import { DRY_RUN } from '../frame/change.ts';
import { examples, local, outputOption, type Run } from '../frame/command.ts';
import { withSettings } from '../frame/settings.ts';

const ON_DATABASE =
  'It uses DATABASE_URL, or the embedded database in MILLRACE_DATA_DIR, whether `millrace up` runs or not.';

export function addServices(program: Command, run: Run): void {
  for (const [name, summary, example] of [
    [
      'up',
      'a coordinator and an agent in one process, with an embedded database',
      'up --http 127.0.0.1:9000',
    ],
    [
      'coordinator',
      'a coordinator of a cluster (needs DATABASE_URL and, beside others, NATS_URL)',
      'coordinator --http 0.0.0.0:8080',
    ],
    ['agent', 'the agent of this host', 'agent --coordinators host-1:7070'],
  ] as const) {
    local(program.command(name))
      .summary(summary)
      .usage('[--setting <value>...]')
      // The settings report all their problems at once.
      .allowUnknownOption()
      .allowExcessArguments()
      .addHelpText('after', () => `${settingsText()}${examples(name, example)}`)
      .action(
        run(async (context, _options, ...args: string[][]) =>
          (await import('../serve.ts')).serve(name, args.flat(), context.terminal),
        ),
      );
  }
}

/** All settings, with their flags and defaults. */
export function settingsText(): string {
  const settings = SETTINGS.map((setting) => {
    const isSecret = 'isSecret' in setting && setting.isSecret === true;
    const flag = isSecret ? '' : `, ${flagOf(setting.name)}`;
    return `  ${setting.name}${flag}\n      ${setting.description}\n      Default: ${setting.defaultText}.\n`;
  });
  const head = 'Settings of up, coordinator and agent, as environment variables or flags (flags win):';
  return `\n${head}\n${settings.join('')}`;
}

export function addDatabase(program: Command, run: Run): void {
  const backup = local(program.command('backup').argument('<file>'));
  withPassphrase(withSettings(backup, 'dataDir', 'secretKeyFile'))
    .summary('write the whole database to a file, while the service runs')
    .description(`Writes the whole database to a file. ${ON_DATABASE} It stops nothing.`)
    .option(
      '--with-secret-key',
      'also write the keys of MILLRACE_SECRET_KEY_FILE, encrypted with a passphrase of at least 12 characters',
    )
    .addHelpText('after', examples('backup /backups/monday.backup', 'backup all.backup --with-secret-key'))
    .action(
      run(async (context, options, file) =>
        (await import('../backup.ts')).runBackup(context, 'backup', options, file),
      ),
    );
  const restore = local(program.command('restore').argument('<file>'));
  withPassphrase(withSettings(restore, 'dataDir', 'secretKeyFile'))
    .summary('restore a backup into an empty database')
    .description(`Restores a backup into an empty database. ${ON_DATABASE}`)
    .addHelpText('after', examples('restore /backups/monday.backup'))
    .action(
      run(async (context, options, file) =>
        (await import('../backup.ts')).runBackup(context, 'restore', options, file),
      ),
    );
}

function withPassphrase(command: Command): Command {
  return command
    .option(
      '--passphrase-file <path>',
      'a file (mode 0600) with the passphrase, which is asked for otherwise',
    )
    .option('--passphrase-fd <n>', 'a descriptor to read it from');
}

export function addAccounts(program: Command, run: Run): void {
  const action = (name: AccountsCommand) =>
    run(async (context, options, subject = '') =>
      (await import('../accounts.ts')).runAccounts(context, name, options, subject),
    );
  const verb = (noun: Command, name: string, summary: string, example: string): Command =>
    withSettings(local(noun.command(name)), 'dataDir')
      .summary(summary)
      .addHelpText('after', examples(example));
  const user = local(program.command('user'))
    .summary('accounts in the database: list, create, password, …')
    .description(`Accounts. ${ON_DATABASE} A running coordinator follows within two seconds.`);
  verb(user, 'list', 'all accounts', 'user list -o json')
    .addOption(outputOption())
    .action(action('user list'));
  verb(user, 'create', 'create an account, and print the password that is made for it', 'user create jane')
    .argument('<name>')
    .option('--staff', 'it may administrate')
    .option(...DRY_RUN)
    .action(action('user create'));
  for (const [name, summary] of [
    ['password', 'make another password, and print it; all sessions of the account end'],
    ['enable', 'let an account log in'],
    ['disable', 'stop an account from logging in'],
    ['staff', 'let an account administrate'],
    ['plain', 'make a staff account a plain one: it may no longer administrate'],
  ] as const) {
    verb(user, name, summary, `user ${name} jane`)
      .argument('<name>')
      .option(...DRY_RUN)
      .action(action(`user ${name}`));
  }
  const token = local(program.command('token'))
    .summary('tokens in the database: list, create, revoke')
    .description(`Tokens of accounts. ${ON_DATABASE} A running coordinator follows within two seconds.`);
  verb(token, 'list', 'the tokens of an account, or of all', 'token list jane')
    .argument('[name]')
    .addOption(outputOption())
    .action(action('token list'));
  verb(token, 'create', 'create a token for an account, and print it', 'token create jane --scope write')
    .argument('<name>')
    .option('--scope <scope>', 'what it may do: read, write, admin (default: read)')
    .option('--days <n>', 'how long it is valid (default: 365)')
    .option('--for <what>', 'its name in the list of tokens')
    .option(...DRY_RUN)
    .action(action('token create'));
  verb(token, 'revoke', 'end a token', 'token revoke 12')
    .argument('<id>')
    .option(...DRY_RUN)
    .action(action('token revoke'));
}

export function addKeys(program: Command, run: Run): void {
  withSettings(local(program.command('rotate-key')), 'secretKeyFile')
    .summary('add a key that stored secrets are encrypted with from then on')
    .description(
      'Adds a new key to MILLRACE_SECRET_KEY_FILE. Where hosts have copies of their own, copy it to all of them. ' +
        'Once every coordinator has it (they look every 5 s), it is used, and what older keys have encrypted is ' +
        'encrypted again; /v6/secret-keys/ shows how far that is.',
    )
    .option(
      '--remove-old',
      'move the older keys to <file>.retired, once nothing is encrypted with them any more; backups that are older ' +
        'than the change need them',
    )
    .option(
      '--sure',
      'needed with an embedded database: you have checked that nothing is encrypted with the older keys',
    )
    .addHelpText('after', examples('rotate-key', 'rotate-key --remove-old'))
    .action(
      run(async (context, options) => (await import('../rotate-key.ts')).runRotateKey(context, options)),
    );
  const certificates = local(program.command('certificates'))
    .summary('certificates for TLS between coordinators and agents')
    .description(
      'Coordinators that have ca.key need no certificate made for them, and agents that know the join token request ' +
        'their own. Existing files are never overwritten.',
    );
  for (const [name, summary, example] of [
    ['authority', 'make ca.pem and ca.key (10 years)', 'certificates authority --dir tls'],
    [
      'coordinator',
      'make coordinator.pem and coordinator.key, beside a copy of ca.pem (90 days)',
      'certificates coordinator --out /etc/millrace/tls',
    ],
    [
      'agent',
      'make agent.pem and agent.key, beside a copy of ca.pem (90 days)',
      'certificates agent host-1 --out tls-1',
    ],
  ] as const) {
    const command = local(certificates.command(name)).summary(summary);
    if (name === 'agent') command.argument('<node-name>');
    command.option('--dir <folder>', 'where the authority is', 'tls');
    if (name !== 'authority') command.option('--out <folder>', 'where the files go; this folder if absent');
    command
      .option('--days <n>', 'how long it is valid')
      .addHelpText('after', examples(example))
      .action(
        run(async (context, options, nodeName = '') =>
          (await import('../certificates.ts')).runCertificates(context, name, options, nodeName),
        ),
      );
  }
}
