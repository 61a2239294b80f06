/** Watches a directory: creates a workspace for it, and a strike that starts a recipe for each file in it. */
import { Dialog } from '@base-ui/react/dialog';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { useAccount } from '../account.ts';
import { choicesOf, ObjectChoice, useFirstChoices } from '../choices/object-choice.tsx';
import { client } from '../client.ts';
import { TitledDialog } from '../parts/dialogs.tsx';
import { Field } from '../parts/form.tsx';
import { Failure, Loaded } from '../parts/states.tsx';
import { typesForFiles } from '../recipes/queries.ts';
import { strikesById } from './queries.ts';

const TITLE_CHARACTERS_MAX = 50;

/** A workspace that is a directory. */
export interface Watchable {
  readonly name: string;
  readonly title: string;
}

interface DialogProps {
  readonly isOpen: boolean;
  readonly close: () => void;
  /** What is watched; without it, a directory is asked for. */
  readonly workspace?: Watchable;
}

export function WatchDialog({ isOpen, close, workspace }: DialogProps) {
  return (
    <TitledDialog
      isOpen={isOpen}
      close={close}
      title={workspace === undefined ? 'Watch a directory' : `Watch ${workspace.title}`}
    >
      <WatchForm workspace={workspace} close={<Dialog.Close>Close</Dialog.Close>} />
    </TitledDialog>
  );
}

interface FormProps {
  /** The name of the recipe type that is started for each file. Undefined: the person chooses one. */
  readonly recipe?: string;
  readonly workspace?: Watchable | undefined;
  /** The button that closes the dialog of the form. */
  readonly close?: ReactNode;
}

/** Goes to the strike once it is created. */
export function WatchForm({ recipe, workspace, close }: FormProps) {
  const types = useFirstChoices(typesForFiles);
  const { mayWrite } = useAccount();
  const closing = close !== undefined && <div className="actions">{close}</div>;
  if (!mayWrite) {
    return (
      <>
        <p className="soft">Someone who may make changes has to watch a directory first.</p>
        {closing}
      </>
    );
  }
  return (
    <Loaded query={types}>
      {({ choices: [first] }) =>
        first === undefined ? (
          <>
            <FirstTypes />
            {closing}
          </>
        ) : (
          <Fields first={first[0]} given={recipe} workspace={workspace} close={close} />
        )
      }
    </Loaded>
  );
}

/** What comes before a directory can be watched. */
function FirstTypes() {
  return (
    <div className="form">
      <p>A recipe starts for each file, and there is no recipe type for files yet:</p>
      <ol className="steps">
        <li>
          <Link to="/console/new-job-type/">Create a job type</Link>: the command that runs with a file. The
          editor begins with an example that works.
        </li>
        <li>
          <Link to="/console/new-recipe-type/">Create a recipe type</Link>: the order of jobs, even if it is
          only one. The page of a job type begins it for you.
        </li>
        <li>Come back here and type the directory.</li>
      </ol>
      <p className="soft">
        On the command line, <a href="/docs/guide/watch/">millrace watch</a> does all of this in one line.
      </p>
    </div>
  );
}

interface FieldsProps {
  /** The name of the recipe type that is chosen first. */
  readonly first: string;
  readonly given: string | undefined;
  readonly workspace: Watchable | undefined;
  readonly close: ReactNode;
}

function Fields({ first, given, workspace, close }: FieldsProps) {
  const [directory, setDirectory] = useState('');
  const [recipe, setRecipe] = useState(given ?? first);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const madeFor = useRef<{ readonly directory: string; readonly workspace: string }>(undefined);
  const watch = useMutation({
    mutationFn: async () => {
      if (workspace !== undefined) return makeStrike(workspace.name, workspace.title, recipe);
      // Another try uses the workspace that the first one created.
      if (madeFor.current?.directory !== directory) {
        madeFor.current = { directory, workspace: await makeWorkspace(directory) };
      }
      return makeStrike(madeFor.current.workspace, directory, recipe);
    },
    onSuccess: async (id) => {
      await queries.invalidateQueries({ queryKey: choicesOf(strikesById) });
      await navigate({ to: '/console/strikes/$id/', params: { id: String(id) } });
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    watch.mutate();
  };
  return (
    <form className="watch-form" onSubmit={submit}>
      {workspace === undefined && (
        <Field label="Directory" hint="A path on the hosts of the agents.">
          {(ids) => (
            <input
              {...ids}
              value={directory}
              placeholder="/data/arrivals"
              spellCheck={false}
              required
              onChange={({ target }) => setDirectory(target.value.trim())}
            />
          )}
        </Field>
      )}
      {given === undefined && (
        <Field label="Recipe for each file" hint="The type of the recipe that starts.">
          {(ids) => <ObjectChoice {...ids} source={typesForFiles} value={recipe} set={setRecipe} />}
        </Field>
      )}
      <p className="soft">
        Files stay where they are. A file that is still being written ends in _tmp, or is taken when it has
        not changed for two seconds.
      </p>
      {watch.isError && <Failure error={watch.error} />}
      <div className="actions">
        {close}
        <button
          type="submit"
          className="primary"
          disabled={(workspace === undefined && directory === '') || watch.isPending}
        >
          Watch
        </button>
      </div>
    </form>
  );
}

/** Resolves with the name of the workspace. */
async function makeWorkspace(directory: string): Promise<string> {
  const body = {
    title: directory.slice(-TITLE_CHARACTERS_MAX),
    configuration: { broker: { type: 'host' as const, host_path: directory } },
  };
  return (await client.post('/v6/workspaces/', { body })).name;
}

/** Resolves with the id of the strike. */
async function makeStrike(workspace: string, directory: string, recipe: string): Promise<number> {
  const configuration = {
    workspace,
    monitor: { type: 'dir-watcher' as const, transfer_suffix: '_tmp' },
    files_to_ingest: [{ filename_regex: '.*' }],
    recipe: { name: recipe },
  };
  const title = `Watch ${directory}`.slice(0, TITLE_CHARACTERS_MAX);
  const body = { title, description: `Files of ${directory}`, configuration };
  return (await client.post('/v6/strikes/', { body })).id;
}
