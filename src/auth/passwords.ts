/**
 * Hashes of passwords: scrypt with a salt; its cost is stored with it, so that it can be raised for new ones. Hashing
 * is expensive by design, so few run at once, and a caller that would wait too long is refused.
 */
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import pLimit from 'p-limit';
import { AppError } from '../domain/errors.ts';

export interface Passwords {
  hash(password: string): Promise<string>;
  /** `stored` null: there is no password; the check takes equally long and fails. Throws OVERLOADED. */
  matches(password: string, stored: string | null): Promise<boolean>;
}

interface Cost {
  /** Binary logarithm of the number of blocks; 15 takes 32 MiB. */
  readonly logN: number;
  readonly r: number;
  readonly p: number;
}

const COST: Cost = { logN: 15, r: 8, p: 3 };
const KEY_BYTES = 32;
const SALT_BYTES = 16;
/** limit: hashes at once; each holds 32 MiB and a thread of the pool. */
const RUNNING_MAX = 2;
/** limit: hashes that wait. */
const WAITING_MAX = 64;

/** `logN` lower than the default is for tests. */
export function createPasswords(logN: number = COST.logN): Passwords {
  const cost = { ...COST, logN };
  const limit = pLimit(RUNNING_MAX);
  const derive = async (password: string, salt: Buffer, by: Cost): Promise<Buffer> => {
    if (limit.pendingCount >= WAITING_MAX)
      throw new AppError('OVERLOADED', 'too many passwords are being checked; try again later');
    return limit(() => key(password, salt, by));
  };
  const absent = { salt: randomBytes(SALT_BYTES), key: randomBytes(KEY_BYTES), cost };
  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES);
      const derived = await derive(password, salt, cost);
      const numbers = [cost.logN, cost.r, cost.p].join('$');
      return `scrypt$${numbers}$${salt.toString('base64url')}$${derived.toString('base64url')}`;
    },
    async matches(password, stored) {
      const known = parse(stored) ?? absent;
      const derived = await derive(password, known.salt, known.cost);
      return timingSafeEqual(derived, known.key) && known !== absent;
    },
  };
}

function parse(stored: string | null): { salt: Buffer; key: Buffer; cost: Cost } | undefined {
  const match = /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([\w-]+)\$([\w-]{43})$/.exec(stored ?? '');
  if (match === null) return undefined;
  const [, logN, r, p, salt = '', known = ''] = match;
  return {
    cost: { logN: Number(logN), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64url'),
    key: Buffer.from(known, 'base64url'),
  };
}

/** Composed and decomposed forms of the same letters are the same password, whatever the keyboard. */
function key(password: string, salt: Buffer, { logN, r, p }: Cost): Promise<Buffer> {
  const options: ScryptOptions = { N: 2 ** logN, r, p, maxmem: 2 ** logN * r * 256 };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, options, (error, derived) => {
      if (error === null) resolve(derived);
      else reject(error);
    });
  });
}
