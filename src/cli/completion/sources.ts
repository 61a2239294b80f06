/** Where the values of an argument or option come from, by its command and name. */
import type { Command, Option } from 'commander';
import { nameOf } from '../frame/command.ts';

/** A source of values. `nothing`: only the person knows the value. */
export type Source =
  | 'job-types'
  | 'runnable-types'
  | 'recipe-types'
  | 'workspaces'
  | 'places'
  | 'strikes'
  | 'scans'
  | 'nodes'
  | 'jobs'
  | 'recipes'
  | 'batches'
  | 'datasets'
  | 'profiles'
  | 'paths'
  | 'commands'
  | 'nothing'
  | readonly string[];

const STATUSES = ['PENDING', 'BLOCKED', 'QUEUED', 'RUNNING', 'FAILED', 'COMPLETED', 'CANCELED'];
const SCOPES = ['read', 'write', 'admin'];

/** Arguments by their command and name, or by their name alone. */
const ARGUMENTS: Readonly<Record<string, Source>> = {
  'run type': 'runnable-types',
  'run file': 'places',
  'type try manifest': 'paths',
  'type try file': 'paths',
  'job id': 'jobs',
  'recipe id': 'recipes',
  'reprocess id': 'recipes',
  'batch id': 'batches',
  'batch create recipe-type': 'recipe-types',
  'strike name': 'strikes',
  'scan name': 'scans',
  'profile name': 'profiles',
  'why job id': 'jobs',
  'why recipe id': 'recipes',
  'why strike name': 'strikes',
  'why scan name': 'scans',
  'file lineage file': 'places',
  'file get file': 'places',
  'file get target': 'paths',
  'file put source': 'paths',
  'file put place': 'places',
  'purge source': 'places',
  'api method': ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  'completion shell': ['bash', 'zsh', 'fish'],
  'init directory': 'paths',
  'help command': 'commands',
  host: 'nodes',
  workspace: 'workspaces',
  directory: 'paths',
  'backup file': 'paths',
  'restore file': 'paths',
};

const OPTIONS: Readonly<Record<string, Source>> = {
  'recipes --type': 'recipe-types',
  'scan create --recipe': 'recipe-types',
  'type try --into': 'workspaces',
  '--type': 'job-types',
  '--recipe': 'recipes',
  '--batch': 'batches',
  '--dataset': 'datasets',
  '--previous': 'batches',
  '--workspace': 'workspaces',
  '--to': 'workspaces',
  '--upload-to': 'workspaces',
  '--profile': 'profiles',
  '--status': STATUSES,
  '--scope': SCOPES,
  '--file': 'paths',
  '--data': 'paths',
  '--token-file': 'paths',
  '--passphrase-file': 'paths',
  '--into': 'paths',
  '--data-dir': 'paths',
  '--dir': 'paths',
  '--out': 'paths',
};

/** Undefined: the table does not have the argument. */
export function argumentSource(command: Command, index: number): Source | undefined {
  const { registeredArguments: known } = command;
  const last = known.at(-1);
  const argument = known[index] ?? (last?.variadic === true ? last : undefined);
  if (argument === undefined) return 'nothing';
  return argument.argChoices ?? find(ARGUMENTS, command, argument.name());
}

export function optionSource(command: Command, option: Option): Source {
  return option.argChoices ?? find(OPTIONS, command, option.long ?? '') ?? 'nothing';
}

/** The entry of the command itself, of a noun above it, or of the name alone. */
function find(table: Readonly<Record<string, Source>>, command: Command, name: string): Source | undefined {
  const words = nameOf(command).split(' ');
  for (let length = words.length; length >= 0; length -= 1) {
    const found = table[[...words.slice(0, length), name].join(' ')];
    if (found !== undefined) return found;
  }
  return undefined;
}
