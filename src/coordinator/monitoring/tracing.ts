/**
 * One trace for each recipe. Committed records are read back in batches and sent as spans. Nothing waits for spans, so
 * those that are not sent when a coordinator is killed are lost.
 */
import type { AnyResult, Change } from '../../domain/changes.ts';
import type { Launch } from '../../domain/node/coordinator-messages.ts';
import { traceParentOf } from '../../domain/trace.ts';
import type { ApplyPort, Turn } from '../../kernel/mod.ts';
import type { Logger } from '../../lib/logger.ts';
import { openSpans, type SpanFacts, type SpanOptions } from '../../observe/spans.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { tracedExecutions, tracedLaunches, tracedRecipes } from '../../store/status/traced.ts';
import { type Commit, completionSpans, executionSpans, startSpans } from './trace-spans.ts';

export interface TracingOptions extends SpanOptions {
  readonly sql: Sql;
  readonly nowMs: () => number;
  readonly log: Pick<Logger, 'warn'>;
}

export interface Tracing {
  /** The commit port, which adds spans for its commits. */
  watched(port: ApplyPort<Change, AnyResult>): ApplyPort<Change, AnyResult>;
  /** The launches, with the parent span in their tasks' environment. */
  withParents(launches: readonly Launch[]): Promise<readonly Launch[]>;
  close(): Promise<void>;
}

// limit: records that wait for their spans. While they cannot be read, further ones get none.
const PENDING_MAX = 50_000;
const READ_AT_ONCE = 1_000;
const EVERY_MS = 1_000;

export function openTracing(options: TracingOptions): Tracing {
  return new RecipeTraces(options);
}

class RecipeTraces implements Tracing {
  readonly #options: TracingOptions;
  readonly #spans: ReturnType<typeof openSpans>;
  readonly #begun = new Map<number, Commit>();
  readonly #completed = new Set<number>();
  readonly #ended = new Set<number>();
  readonly #timer: NodeJS.Timeout;
  #sending: Promise<void> = Promise.resolve();

  constructor(options: TracingOptions) {
    this.#options = options;
    this.#spans = openSpans(options);
    this.#timer = setInterval(() => {
      this.#sending = this.#sending.then(() => this.#send());
    }, EVERY_MS);
  }

  watched(port: ApplyPort<Change, AnyResult>): ApplyPort<Change, AnyResult> {
    const { nowMs } = this.#options;
    return {
      ...port,
      apply: async (turns) => {
        const startedMs = nowMs();
        const results = await port.apply(turns);
        this.#note(turns, { startedMs, endedMs: nowMs(), turns: turns.length });
        return results;
      },
    };
  }

  async withParents(launches: readonly Launch[]): Promise<readonly Launch[]> {
    if (launches.length === 0) return launches;
    const rows = await tracedLaunches(
      this.#options.sql,
      launches.map(({ executionId }) => executionId),
    );
    const subjects = new Map(rows.map(({ executionId, subject }) => [executionId, subject]));
    return launches.map((launch) => {
      const subject = subjects.get(launch.executionId);
      if (subject === undefined) return launch;
      const TRACEPARENT = traceParentOf(subject, launch.executionId);
      return { ...launch, environment: { ...launch.environment, TRACEPARENT } };
    });
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#sending;
    await this.#send();
    await this.#spans.close();
  }

  #note(turns: readonly Turn<Change>[], commit: Commit): void {
    for (const change of turns.flatMap(({ changes }) => changes)) {
      if (this.#begun.size + this.#completed.size + this.#ended.size >= PENDING_MAX) return;
      if (change.type === 'createRecipes') for (const { id } of change.recipes) this.#begun.set(id, commit);
      else if (change.type === 'completeRecipes') {
        for (const { recipeId } of change.recipes) this.#completed.add(recipeId);
      } else if (change.type === 'endExecutions') {
        for (const { executionId } of change.ends) this.#ended.add(executionId);
      }
    }
  }

  /** Never rejects. Records that could not be read are tried again. */
  async #send(): Promise<void> {
    const { sql, log } = this.#options;
    try {
      await sendEach(this.#begun.keys(), async (ids) => {
        for (const recipe of await tracedRecipes(sql, ids)) {
          this.#emit(startSpans(recipe, this.#begun.get(recipe.id)));
        }
        for (const id of ids) this.#begun.delete(id);
      });
      await sendEach(this.#ended.keys(), async (ids) => {
        for (const execution of await tracedExecutions(sql, ids)) this.#emit(executionSpans(execution));
        for (const id of ids) this.#ended.delete(id);
      });
      await sendEach(this.#completed.keys(), async (ids) => {
        for (const recipe of await tracedRecipes(sql, ids)) this.#emit(completionSpans(recipe));
        for (const id of ids) this.#completed.delete(id);
      });
    } catch (error) {
      log.warn('spans_unread', { error });
    }
  }

  #emit(spans: readonly SpanFacts[]): void {
    for (const span of spans) this.#spans.send(span);
  }
}

/** Sends the spans of the records that exist, some at a time. */
async function sendEach(
  pending: Iterable<number>,
  send: (ids: readonly number[]) => Promise<void>,
): Promise<void> {
  const ids = [...pending];
  for (let at = 0; at < ids.length; at += READ_AT_ONCE) await send(ids.slice(at, at + READ_AT_ONCE));
}
