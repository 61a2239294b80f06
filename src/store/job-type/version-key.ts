/** The order of versions in SQL: the text of `versionSortKey` (domain/version.ts), computed from a column. */

/** An expression whose byte order is the order of semantic versions; `column` holds valid versions only. */
export function versionKey(column: string): string {
  const core = `split_part(${column}, '+', 1)`;
  const number = `lpad(length(part)::text, 2, '0') || part`;
  const parts = (list: string) => `unnest(string_to_array(${list}, '.')) with ordinality as p(part, n)`;
  const triple = parts(`split_part(${core}, '-', 1)`);
  const release = `(select string_agg(${number}, '.' order by n) from ${triple})`;
  const prerelease = `(select '-' || string_agg(
      case when part ~ '^[0-9]+$' then '!0' || ${number} else '!1' || part end, '' order by n)
    from ${parts(`substring(${core} from '-(.*)$')`)})`;
  const build = `coalesce(substring(${column} from '\\+(.*)$'), '')`;
  return `(${release} || coalesce(${prerelease}, '~') || ' ' || ${build}) collate "C"`;
}
