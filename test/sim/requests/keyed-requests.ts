/**
 * People who name what they ask for by an `Idempotency-Key`, and ask again until they are answered, and often once
 * more. Their draws are their own.
 */
import { AppError } from '../../../src/domain/errors.ts';
import type { Reply } from '../../../src/http/route.ts';
import type { KeyedCall, Wanted } from '../coordinator/interface.ts';
import { Seeded } from '../seeded.ts';
import type { World } from '../world.ts';

/** A client that hears nothing for so long asks again, while what it asked before may still be worked on. */
const PATIENCE_MS = 12_000;
const PAUSE_MS = [200, 3_000] as const;
const DAWDLES_MS_MAX = 4_000;
const REPEATS_MAX = 3;

/** A request, and all that became of it. */
export interface KeyedRequest extends KeyedCall {
  /** Ids under which its attempts may have made something. */
  readonly ids: number[];
  /** As texts. */
  readonly answers: string[];
  /** What was asked for under its key by mistake was refused, or was not. */
  readonly misuses: string[];
  /** It is asked so often again once it was answered. */
  repeatsLeft: number;
}

export class DrawnKeyedRequests {
  readonly requests: KeyedRequest[] = [];
  readonly #world: World;
  readonly #random: Seeded;

  constructor(world: World) {
    this.#world = world;
    this.#random = new Seeded(world.seed ^ 0x6e75);
  }

  act(): void {
    const random = this.#random;
    const answered = this.requests.filter(({ answers }) => answers.length > 0);
    const known = random.pick(answered);
    if (known !== undefined && random.chance(0.15)) this.#misuse(known);
    else if (known !== undefined && random.chance(0.3)) this.#attempt(known);
    else this.#begin();
  }

  /** Why the world is not at rest. */
  get open(): string | undefined {
    const one = this.requests.find((request) => this.#isOpen(request));
    return one === undefined ? undefined : `the request ${one.key} (${one.wanted.kind}) has no answer`;
  }

  #isOpen({ answers, repeatsLeft }: KeyedRequest): boolean {
    return answers.length === 0 || repeatsLeft > 0;
  }

  #begin(): void {
    const random = this.#random;
    const key = `key-${this.requests.length + 1}`;
    const wanted = this.#wanted();
    const request: KeyedRequest = {
      ...{ key, hash: JSON.stringify(wanted), wanted, ids: [], answers: [], misuses: [] },
      repeatsLeft: random.int(0, REPEATS_MAX),
    };
    this.requests.push(request);
    // Owners hear late: what was given up is made when its repeat has been.
    if (random.chance(0.5)) this.#delay(wanted.kind);
    this.#attempt(request);
  }

  #wanted(): Wanted {
    const { store } = this.#world;
    const random = this.#random;
    const draw = random.next();
    if (draw < 0.6) return { kind: 'job' };
    if (draw < 0.8) {
      const jobs = store.tables.jobs.where(
        ({ owner, status }) => owner.kind === 'job' && status === 'CANCELED',
      );
      return { kind: 'job_request', jobIds: [random.pick(jobs)?.id ?? 1] };
    }
    const file = random.pick(store.tables.files.where((one) => one.fileType === 'SOURCE' && !one.isDeleted));
    const [datasetId = 0, memberId = 0] = this.#world.nextId(2);
    const files: Record<string, number[]> = file === undefined ? {} : { SRC: [file.id] };
    store.tables.members.put({ id: memberId, datasetId, data: { files, json: {} } });
    store.tables.commit();
    return { kind: 'batch', datasetId, membersCount: 1 };
  }

  #delay(kind: string): void {
    const { cables, time } = this.#world;
    cables.dawdle(kind);
    time.after(this.#random.int(500, DAWDLES_MS_MAX), () => cables.undawdle(kind));
  }

  #attempt(request: KeyedRequest): void {
    const { serving, time } = this.#world;
    const asked = this.#random.pick(serving);
    let isOver = false;
    const next = (text: string | undefined): void => {
      if (isOver) return;
      isOver = true;
      const isRepeat = request.answers.length > 0;
      if (text !== undefined) request.answers.push(text);
      if (text !== undefined && isRepeat) request.repeatsLeft -= 1;
      if (this.#isOpen(request)) time.after(this.#random.int(...PAUSE_MS), () => this.#attempt(request));
    };
    if (asked === undefined) {
      next(undefined);
      return;
    }
    time.after(PATIENCE_MS, () => next(undefined));
    asked.interface
      .create(request, (id) => {
        request.ids.push(id);
        this.#world.doomOwner(request.wanted.kind, id);
      })
      .then(
        (reply) => next(textOf(reply)),
        () => next(undefined),
      );
  }

  /** Somebody asks for something else under the same key. */
  #misuse(request: KeyedRequest): void {
    const asked = this.#random.pick(this.#world.serving);
    const other = { ...request, hash: `${request.hash} and more` };
    asked?.interface
      .create(other, (id) => request.ids.push(id))
      .then(
        (reply) => request.misuses.push(textOf(reply)),
        (error: unknown) => {
          if (error instanceof AppError && error.code === 'IDEMPOTENCY_KEY_REUSED')
            request.misuses.push('refused');
        },
      );
  }
}

function textOf({ status, headers, body }: Reply): string {
  return JSON.stringify({ status, headers, body: body ?? null });
}
