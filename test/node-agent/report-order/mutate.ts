/**
 * Preloaded (`--import`) beside the check: replaces the text of one source file as it is loaded. The mutant is the one
 * that MUTANT names; one whose text is not found, or more than once, ends the program.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { MUTANTS } from './mutants.ts';

const root = new URL('../../../', import.meta.url);
const mutant = MUTANTS.find(({ name }) => name === process.env.MUTANT);
if (mutant === undefined) throw new Error(`no mutant is called ${process.env.MUTANT}`);
const { file, from, to } = mutant;
const target = new URL(file, root).href;
if (readFileSync(new URL(target), 'utf8').split(from).length !== 2) {
  throw new Error(`${file} does not have this once: ${from}`);
}

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (url !== target) return loaded;
    const source = loaded.source as string | Uint8Array;
    const text = typeof source === 'string' ? source : new TextDecoder().decode(source);
    return { ...loaded, source: text.replace(from, () => to) };
  },
});
