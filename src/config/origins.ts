/** MILLRACE_ALLOWED_ORIGINS: origins whose pages may change things. */
import type { IssueList } from '../domain/validation.ts';
import type { SettingName } from './settings.ts';

interface Reader {
  readonly issues: IssueList;
  text(name: SettingName): string | undefined;
}

/** As `new URL(…).origin` has them. */
export function readOrigins(read: Reader): readonly string[] {
  const name = 'MILLRACE_ALLOWED_ORIGINS';
  const items = (read.text(name) ?? '').split(',').map((item) => item.trim());
  const origins = items.filter((item) => item !== '').map(originOf);
  if (origins.every((origin) => origin !== undefined)) return origins;
  const reason = 'each must be an origin like http://name:8080, without a path, separated by commas';
  read.issues.error('INVALID_SETTING', name, reason);
  return [];
}

function originOf(text: string): string | undefined {
  const isOrigin = /^https?:\/\/[^/?#@\\*]+\/?$/i.test(text) && URL.canParse(text);
  return isOrigin ? new URL(text).origin : undefined;
}
