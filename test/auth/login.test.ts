import t from 'tap';
import { checkPassword } from '../../src/auth/login.ts';
import { AppError } from '../../src/domain/errors.ts';
import { accessWorld, PASSWORD } from '../support/worlds/access-world.ts';

const FROM = { address: '10.0.0.1', requestId: 'r', method: 'POST', route: '/v6/login/', nowMs: 0 };

t.test('login: its row in the audit trail is begun before the check of the password ends', async (t) => {
  const world = await accessWorld(t);
  await world.account('jane');
  const { logins } = world.access;
  const order: string[] = [];
  const trail = {
    ...logins.trail,
    begin(entry: Parameters<typeof logins.trail.begin>[0]) {
      order.push('row');
      return logins.trail.begin(entry);
    },
  };
  const passwords = {
    ...logins.passwords,
    async matches(password: string, stored: string | null) {
      const isRight = await logins.passwords.matches(password, stored);
      order.push('checked');
      return isRight;
    },
  };
  const parts = { ...logins, trail, passwords };
  await checkPassword(parts, { username: 'jane', password: PASSWORD }, FROM);
  await t.rejects(checkPassword(parts, { username: 'nobody', password: PASSWORD }, FROM), {
    code: 'UNAUTHENTICATED',
  });
  t.strictSame(order, ['row', 'checked', 'checked']);
  t.match(await world.entries(), [{ username: 'jane', status: 200 }]);
});

t.test(
  'login: a password that cannot be checked because of overload is refused, and its row has status 503',
  async (t) => {
    const world = await accessWorld(t);
    await world.account('jane');
    const matches = async (): Promise<boolean> => {
      throw new AppError('OVERLOADED', 'too many passwords are being checked');
    };
    const { logins } = world.access;
    const parts = { ...logins, passwords: { ...logins.passwords, matches } };
    for (const username of ['jane', 'nobody']) {
      await t.rejects(checkPassword(parts, { username, password: PASSWORD }, FROM), { code: 'OVERLOADED' });
    }
    t.match(await world.entries(), [{ username: 'jane', status: 503 }]);
  },
);
