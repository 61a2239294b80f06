/** The possible next words of a command line. */
import type { Command, Option } from 'commander';
import { isLocal } from '../frame/command.ts';
import { argumentSource, optionSource, type Source } from './sources.ts';

export interface Candidate {
  readonly value: string;
  readonly description?: string;
}

export interface Place {
  /** The word that is being typed. */
  readonly word: string;
  /** The part of the word before the value: `--type=`. */
  readonly prefix: string;
  /** Commands and options that are possible here. */
  readonly candidates: readonly Candidate[];
  /** Sources of the values that are possible here. */
  readonly source: Source;
  /** Values of the options before the word, by their long names. */
  readonly given: ReadonlyMap<string, string>;
}

/** `help` takes it beside the commands. */
const HELP_SETTINGS: Candidate = { value: 'settings', description: 'the settings of a service' };

/** `words`: those after the name of the program; the last one is being typed, and may be empty. */
export function placeOf(program: Command, words: readonly string[]): Place {
  const word = words.at(-1) ?? '';
  const given = new Map<string, string>();
  let command = program;
  let count = 0;
  let open: Option | undefined;
  for (const one of words.slice(0, -1)) {
    if (open !== undefined) {
      given.set(open.long ?? '', one);
      open = undefined;
      continue;
    }
    const option = one.startsWith('-') ? optionOf(program, command, one) : undefined;
    if (option !== undefined && one.includes('='))
      given.set(option.long ?? '', one.slice(one.indexOf('=') + 1));
    else if (option !== undefined) open = option.required || option.optional ? option : undefined;
    else if (!one.startsWith('-')) {
      const next = command.commands.find((known) => known.name() === one);
      if (next === undefined) count += 1;
      else command = next;
    }
  }
  const none = { word, prefix: '', candidates: [], source: 'nothing' as const, given };
  if (open !== undefined) return { ...none, source: optionSource(command, open) };
  if (/^--[^=]+=/.test(word)) {
    const option = optionOf(program, command, word);
    const prefix = word.slice(0, word.indexOf('=') + 1);
    return option === undefined ? none : { ...none, prefix, source: optionSource(command, option) };
  }
  if (word.startsWith('-')) return { ...none, candidates: optionsOf(program, command) };
  if (command.commands.length > 0) return { ...none, candidates: commandsOf(command) };
  const source = argumentSource(command, count) ?? 'nothing';
  return source === 'commands'
    ? { ...none, candidates: [...commandsOf(program), HELP_SETTINGS] }
    : { ...none, source };
}

function optionOf(program: Command, command: Command, word: string): Option | undefined {
  const flag = word.split('=', 1)[0];
  return [...command.options, ...program.options].find(({ long, short }) => flag === long || flag === short);
}

function optionsOf(program: Command, command: Command): Candidate[] {
  const options =
    command === program || isLocal(command) ? command.options : [...command.options, ...program.options];
  return [
    ...options.map(({ long, description }) => ({ value: long ?? '', description })),
    { value: '--help', description: 'options and examples' },
  ];
}

function commandsOf(command: Command): Candidate[] {
  return command.commands.map((one) => ({ value: one.name(), description: one.summary() }));
}
