/** Rows of files in the first workspace, as if they had been registered. */
import type { Client } from 'pg';

/** Their ids are 1 to `count`. */
export async function insertFiles(database: Client, count: number): Promise<void> {
  await database.query(
    `insert into file (id, uuid, file_type, file_name, media_type, file_size, workspace_id, file_path, created,
       last_modified)
     select n, gen_random_uuid(), 'SOURCE', 'f' || n, 'text/plain', 1, (select min(id) from workspace), 'f' || n,
       now(), now()
     from generate_series(1, $1) as n`,
    [count],
  );
}
