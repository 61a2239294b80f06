/** All that continues while faults happen, each sort of it at its own pace. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DemoFile, findDemoFiles } from '../../../../src/cli/demo/demo-files.ts';
import { until } from '../../harness/until.ts';
import { Caller } from '../caller.ts';
import type { Installation } from '../installation.ts';
import { type ExpectedSource, Ledger } from '../ledger.ts';
import { deliverDemo, isScanning, scan, shelve, upload } from './arrivals.ts';
import { Baits } from './baits.ts';
import { batchAgain, numberBatch, purgeSource, reprocess } from './requests.ts';
import { createWorkTypes, type WorkTypes } from './work-types.ts';

const SOURCE = join(import.meta.dirname, '../../../../node_modules');
/** A file of so many is purged, and another of so many has its recipe done again. */
const EVERY = 8;
const BATCH_MEMBERS = 8;
const AGAIN_MEMBERS = 4;
const TURN_MS = 1_000;
/** Until one recipe is done again and one source purged, however short all is. */
const ONE_MS = 150_000;
/** One that is under way is waited for. */
const LAST_SCAN_MS = 150_000;

/** Seconds between two of a sort. */
interface Pace {
  readonly arrival: number;
  readonly upload: number;
  readonly book: number;
  readonly scan: number;
  readonly batch: number;
  readonly again: number;
  readonly bait: number;
}
const PACE: Pace = { arrival: 1.5, upload: 4, book: 6, scan: 15, batch: 40, again: 70, bait: 5 };
/** In so short a time that each sort comes twice. */
const HURRY: Pace = { arrival: 1.5, upload: 3, book: 4, scan: 9, batch: 14, again: 18, bait: 2 };
const HURRY_SECONDS = 120;

interface Materials {
  readonly ledger: Ledger;
  readonly types: WorkTypes;
  readonly baits: Baits;
  readonly files: readonly DemoFile[];
}

export class Work {
  readonly ledger: Ledger;
  readonly baits: Baits;
  readonly caller: Caller;
  readonly #all: Installation;
  readonly #types: WorkTypes;
  readonly #files: readonly DemoFile[];
  readonly #counts = { arrival: 0, upload: 0, book: 0, scan: 0, batch: 0, again: 0, bait: 0 };
  readonly #toPurge: ExpectedSource[] = [];
  readonly #toRepeat: ExpectedSource[] = [];
  readonly #pace: Pace;

  private constructor(all: Installation, { ledger, types, baits, files }: Materials, seconds: number) {
    this.#all = all;
    this.ledger = ledger;
    this.baits = baits;
    this.#types = types;
    this.#files = files;
    this.#pace = seconds < HURRY_SECONDS ? HURRY : PACE;
    this.caller = new Caller(all);
  }

  static async create(all: Installation, seconds: number): Promise<Work> {
    const types = await createWorkTypes(all, all.client('c1'));
    const files = await findDemoFiles(SOURCE, Math.ceil(seconds / HURRY.arrival) + 10);
    const ledger = new Ledger();
    const baits = await Baits.lay(all, all.client('c1'), ledger);
    return new Work(all, { ledger, types, baits, files }, seconds);
  }

  /** Until it is told to end, and then until nothing has to be asked for any more. */
  async run(signal: AbortSignal): Promise<void> {
    const beganMs = performance.now();
    const pace = Object.entries(this.#pace) as [keyof Pace, number][];
    const sorts = pace.map(async ([sort, seconds]) => {
      while (!signal.aborted) {
        const dueMs = beganMs + (this.#counts[sort] + 0.5) * seconds * 1_000;
        if (performance.now() >= dueMs) await this.#next(sort, this.#counts[sort]++);
        else await sleep(TURN_MS / 5);
      }
    });
    const asked = [this.#later(this.#toPurge, signal), this.#later(this.#toRepeat, signal)];
    await Promise.all([...sorts, ...asked]);
    if (this.ledger.batches.length === 0) throw new Error('no batch was begun');
    const isAsked = async () => {
      if (await isScanning(this.caller, this.#types)) return false;
      return this.ledger.isShelfScanned || (await scan(this.caller, this.ledger, this.#types));
    };
    await until('the last scan is asked for', isAsked, LAST_SCAN_MS);
  }

  get summary(): string {
    const { sources, purged, batches, reprocessed, baitJobs } = this.ledger;
    const by = (sort: ExpectedSource['by']) => sources.filter((one) => one.by === sort).length;
    const arrived = `${by('strike')} files, ${by('bucket strike')} objects, ${by('scan')} books`;
    const asked = `${batches.length} batches, ${reprocessed} recipes again, ${purged.length} purges`;
    const scans = `${this.#counts.scan} scans asked for`;
    return `${arrived}; ${asked}, ${scans}; ${baitJobs.length} jobs of baits`;
  }

  async #next(sort: keyof Pace, index: number): Promise<void> {
    const { ledger, caller } = this;
    if (sort === 'arrival') return this.#arrive(index);
    if (sort === 'upload') return upload(this.#all, ledger, this.#types, index);
    if (sort === 'book') return shelve(this.#all, ledger, index);
    if (sort === 'scan') return void (await scan(caller, ledger, this.#types));
    if (sort === 'bait') return this.baits.take(caller);
    if (sort === 'batch') return numberBatch(caller, ledger, this.#types, index, BATCH_MEMBERS);
    await batchAgain(caller, ledger, this.#types, index, AGAIN_MEMBERS);
  }

  async #arrive(index: number): Promise<void> {
    const file = this.#files[index];
    if (file === undefined) return;
    await deliverDemo(this.#all, this.ledger, file);
    const source = this.ledger.sources.find(({ name }) => name === file.name) as ExpectedSource;
    if (index % EVERY === 1) this.#toPurge.push(source);
    if (index % EVERY === 2) this.#toRepeat.push(source);
  }

  /** Whatever can be asked for of the list, in time, and one of them in any case. */
  async #later(list: ExpectedSource[], signal: AbortSignal): Promise<void> {
    const giveUpMs = performance.now() + ONE_MS;
    let asked = 0;
    while (!signal.aborted || (asked === 0 && performance.now() < giveUpMs)) {
      const [source] = list;
      if (source !== undefined && (await this.#ask(list === this.#toPurge, source, asked))) {
        list.shift();
        asked += 1;
      }
      await sleep(TURN_MS);
    }
  }

  #ask(isPurge: boolean, source: ExpectedSource, index: number): Promise<boolean> {
    if (isPurge) return purgeSource(this.caller, source, index % 2 === 0);
    const forced = index % 2 === 0 ? { all: true } : { all: false, nodes: ['describe'] };
    return reprocess(this.caller, this.ledger, source, forced);
  }
}
