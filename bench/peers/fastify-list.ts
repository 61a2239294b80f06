/**
 * A program: Fastify that answers every GET with the rows of some statements. Says `ready <address>`. Arguments: the
 * database, the statements as JSON.
 */
import Fastify from 'fastify';
import pg from 'pg';

const [connectionString = '', given = '[]'] = process.argv.slice(2);
const statements = JSON.parse(given) as { text: string; params: unknown[] }[];
const pool = new pg.Pool({
  connectionString,
  options: '-c timezone=UTC -c plan_cache_mode=force_custom_plan -c jit=off',
});
const server = Fastify();
server.get('/*', async () => {
  const answers = await Promise.all(statements.map(({ text, params }) => pool.query(text, params)));
  return answers.map(({ rows }) => rows);
});
const address = await server.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`ready ${address}\n`);
