// What stands in a review window that nobody sees, without anything asked: its page is made and laid out before the
// question comes that it is for, and takes that as its own.
import type { RequestView } from '../generated/RequestView';

/** A request that nobody asked; no identifier is empty. */
export function nothingAsked(): RequestView {
  return {
    summary: {
      request_id: '',
      session_uuid: '',
      title: '',
      client: '',
      workspace: '',
      workspace_name: '',
      urgent: false,
      approval: true,
      created_at: new Date().toISOString(),
      waits_until: null,
      caller_waiting: true,
      excerpt: '',
      options: 0,
      files: 0,
      snoozed: null,
    },
    status: 'pending',
    digest: '',
    message: { blocks: [], rest: null },
    context: null,
    options: [],
    allow_multiple: false,
    diff: null,
    draft: { text: '', selected: [], comments: [], remarks: [], attachments: [] },
    attachments: [],
  };
}
