/**
 * The effect of a new revision of a type on the recipe types that contain it. The revision is not saved, and the
 * preview uses the same code as an update (`raising.ts`).
 */
import { type Static, Type } from '@sinclair/typebox';
import type { Interface } from '../../domain/interface/interface.ts';
import { jobTypeKey } from '../../domain/recipe/recipe-definition-check.ts';
import { integer, named } from '../../http/schema.ts';
import type { Sql } from '../../store/sql/sql.ts';
import { type ContainingType, containingTypes, linksAmong } from '../../store/type-update/above.ts';
import type { InnerMember } from '../../store/type-update/save.ts';
import { checkDefinitions } from '../shared/definition-lookups.ts';
import { count } from '../shared/records.ts';
import { outcomeOf, type RaisedType, raisedDefinition } from './raising.ts';

/** limit: recipe types that a preview examines, and bytes of their definitions. */
const EXAMINED = { members: 20, bytes: 256 * 1024 };

export const FollowingTypes = named(
  'FollowingTypes',
  Type.Object(
    {
      count: { ...count, description: 'Recipe types that contain the type, at any depth.' },
      raised: Type.Array(Type.Object({ name: Type.String(), revision_num: integer({ minimum: 1 }) }), {
        description: 'Recipe types that would take it over, and the revision that each would get.',
      }),
      behind: Type.Array(Type.Object({ name: Type.String(), reason: Type.String() }), {
        description: 'Recipe types that would keep their revision, and why.',
      }),
      is_cut: Type.Boolean({
        description: `True: there are more than were examined, which are ${EXAMINED.members} at most.`,
      }),
    },
    { description: 'What recipe types would do about the new revision, unless `auto_update` is false.' },
  ),
);
export type FollowingTypes = Static<typeof FollowingTypes>;

export const NO_FOLLOWERS: FollowingTypes = { count: 0, raised: [], behind: [], is_cut: false };

/** A revision that would be saved, with its inputs and outputs, by which other definitions are checked. */
export type UnsavedRevision =
  | (RaisedType & {
      readonly kind: 'job';
      readonly version: string;
      readonly interfaces: { readonly inputs: Interface; readonly outputs: Interface };
    })
  | (RaisedType & { readonly kind: 'recipe'; readonly input: Interface });

/** The effects on recipe types. `ids`: the ones that contain the type directly. */
export async function followingTypes(
  sql: Sql,
  revision: UnsavedRevision,
  ids: readonly number[],
): Promise<FollowingTypes> {
  const { types, total } = await containingTypes(sql, ids, EXAMINED);
  if (types.length === 0) return NO_FOLLOWERS;
  const links = await linksAmong(
    sql,
    types.map(({ id }) => id),
  );
  const preview = new Preview(
    revision,
    Map.groupBy(links, ({ holderId }) => holderId),
  );
  for (const level of Map.groupBy(types, (one) => one.level).values()) await preview.examine(sql, level);
  const hidden = types.filter(({ isHidden }) => isHidden).length;
  return { count: total - hidden, ...preview.found, is_cut: total > types.length };
}

type Links = ReadonlyMap<number, readonly { readonly innerId: number }[]>;

class Preview {
  readonly found: { readonly raised: FollowingTypes['raised']; readonly behind: FollowingTypes['behind'] } = {
    raised: [],
    behind: [],
  };
  readonly #revision: UnsavedRevision;
  readonly #links: Links;
  readonly #settled = new Map<number, Omit<InnerMember, 'holderId'>>();
  readonly #jobTypes = new Map<string, Map<number, { inputs: Interface; outputs: Interface }>>();
  readonly #recipeTypes = new Map<string, Map<number, { input: Interface }>>();

  constructor(revision: UnsavedRevision, links: Links) {
    this.#revision = revision;
    this.#links = links;
    const { name, revisionNum } = revision;
    if (revision.kind === 'job') {
      const key = jobTypeKey(name, revision.version);
      this.#jobTypes.set(key, new Map([[revisionNum, revision.interfaces]]));
    } else this.#recipeTypes.set(name, new Map([[revisionNum, { input: revision.input }]]));
  }

  /** Examines the types of one level. All lower levels have to be examined before. */
  async examine(sql: Sql, types: readonly ContainingType[]): Promise<void> {
    const wanted = types.map((type) => {
      const inner = this.#innerOf(type.id);
      return { type, inner, document: raisedDefinition(type, this.#revision, inner) };
    });
    const changed = wanted.filter(({ type, document }) => document !== type.definition);
    const checks = await checkDefinitions(
      sql,
      changed.map(({ type: { name }, document }) => ({ name, document })),
      { jobTypes: this.#jobTypes, recipeTypes: this.#recipeTypes },
    );
    for (const { type, inner } of wanted) {
      const outcome = outcomeOf(type, checks.get(type.name)?.(), inner);
      const { name } = type;
      if (outcome.state === 'raised') {
        const revisionNum = type.revisionNum + 1;
        this.#settled.set(type.id, { name, state: 'raised', revisionNum });
        const { input } = outcome.definition as { readonly input: Interface };
        this.#recipeTypes.set(name, new Map([[revisionNum, { input }]]));
        if (!type.isHidden) this.found.raised.push({ name, revision_num: revisionNum });
      } else if (outcome.state === 'behind') {
        this.#settled.set(type.id, { name, state: 'behind', revisionNum: null });
        if (!type.isHidden) this.found.behind.push({ name, reason: outcome.reason });
      }
    }
  }

  #innerOf(holderId: number): readonly InnerMember[] {
    return (this.#links.get(holderId) ?? []).flatMap(({ innerId }) => {
      const settled = this.#settled.get(innerId);
      return settled === undefined ? [] : [{ holderId, ...settled }];
    });
  }
}
