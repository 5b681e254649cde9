// What the main window loads only when it is shown, loaded beforehand: compiling it takes a busy machine
// longer than a test waits.
import '../src/components/RequestPage.svelte';
import '../src/components/ShortcutSheet.svelte';
import '../src/conversation/ConversationPane.svelte';
import '../src/diff/DiffView.svelte';
import '../src/find/FindInText.svelte';
import '../src/history/HistoryPage.svelte';
import '../src/inbox/Abandoned.svelte';
import '../src/inbox/InboxPage.svelte';
import '../src/inbox/arrivals';
import '../src/prompts/PromptsPage.svelte';
import '../src/palette/Palette.svelte';
import '../src/sessions/SessionsPage.svelte';
import '../src/connect/ConnectPage.svelte';
import '../src/doctor/DoctorPage.svelte';
import '../src/settings/SettingsPage.svelte';
import '../src/settings/announce';
import '../src/settings/text-size';
