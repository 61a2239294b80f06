/** Answers under keys, some of which are taken, drawn beside all other changes. */
import type { Change } from '../../src/domain/changes.ts';
import type { RecordRef } from '../../src/domain/idempotency.ts';
import { ChangeDraws } from './store.ts';

const KEYS = 60;

export class KeyDraws extends ChangeDraws {
  override group(): Change[][] {
    return super
      .group()
      .map((changes) => (this.random.chance(0.4) ? [...changes, this.#keep(changes)] : changes));
  }

  /** The name of a request: one of few, so that some come again. */
  name(): { readonly accountId: number; readonly key: string } {
    return { accountId: this.random.int(0, 1), key: `key-${this.random.int(1, KEYS)}` };
  }

  #keep(changes: readonly Change[]): Change {
    const fingerprint = Buffer.from(`print ${this.random.int(1, 3)}`).toString('base64');
    const record = this.#madeBy(changes);
    const isCreated = record !== null;
    const answer = {
      ...{ key: { ...this.name(), fingerprint }, record, status: isCreated ? 201 : 202 },
      location: isCreated ? `/v6/${record.type}s/${record.id}/` : null,
      warning: this.random.chance(0.1) ? '299 - "w"' : null,
    };
    return { type: 'keepAnswers', answers: [answer] };
  }

  /** Sometimes one that nobody has made. */
  #madeBy(changes: readonly Change[]): RecordRef | null {
    for (const change of changes) {
      if (change.type === 'createJobs') return { type: 'job', id: change.jobs[0]?.id ?? 0 };
      if (change.type === 'createRecipes') return { type: 'recipe', id: change.recipes[0]?.id ?? 0 };
    }
    return this.random.chance(0.2) ? { type: 'batch', id: 99 } : null;
  }
}
