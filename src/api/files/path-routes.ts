/** `/v6/workspaces/{name}/files/{path}`: files by their paths. */
import { pathRest, pathText } from '../../http/request/path-parameters.ts';
import { defineRoute } from '../../http/route.ts';
import { NO_BODY, streamReply } from '../../http/schema.ts';
import { type AskedContent, askedOf, contentReply, type StreamedContent } from './routes.ts';

export interface PathRouteDeps {
  readonly paths: {
    /**
     * Opens what lies at a path. Throws PATH_NOT_ALLOWED, NOT_FOUND (no such workspace), FILE_NOT_FOUND, FORBIDDEN
     * (not recorded, and the caller may not read such files), STATE_CONFLICT, AGENT_UNAVAILABLE or
     * WORKSPACE_UNAVAILABLE.
     */
    open(
      workspace: string,
      path: string,
      asked: Omit<AskedContent, 'isStream'> & { readonly isStaff: boolean },
    ): Promise<StreamedContent>;
  };
}

const content = defineRoute({
  method: 'GET',
  path: '/v6/workspaces/{name}/files/{path}',
  summary: 'Content of a file by its path',
  description:
    'Streams a recorded file. A file that is not recorded is served to staff, where the configuration of the ' +
    'workspace says `http: read` or `write`. Headers and ranges are those of `/v6/files/{id}/content/`.',
  params: { name: pathText, path: pathRest },
  replies: { 200: streamReply(), 206: streamReply(), 416: NO_BODY },
  async handle({ params, request }, { paths }: PathRouteDeps) {
    const { isStaff } = request.caller;
    return contentReply(await paths.open(params.name, params.path, { ...askedOf(request), isStaff }));
  },
});

export const pathRoutes = [content];
