//! Ends a run of the speech engine from within its work. Whisper itself asks whether to go on only between two
//! words and after it has looked at the sound as a whole, which can take seconds. The part of it that reckons,
//! ggml, asks after each of its some hundred operations if it is told whom, but Whisper doesn't tell it. So this
//! is told to each of them that is made for the processor, as it is made.

use std::cell::RefCell;
use std::ffi::{c_char, c_void};
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use whisper_rs::whisper_rs_sys as sys;

/// A flag that ends a run at the next occasion, some milliseconds later.
pub(crate) type Stop = Arc<AtomicBool>;

thread_local! {
    /// What ends the run that this thread is in.
    static STOP: RefCell<Option<Stop>> = const { RefCell::new(None) };
}

/// Runs the engine, on this thread, until it is through or the flag says to stop; then it fails.
pub(crate) fn unless<T>(stop: &Stop, run: impl FnOnce() -> T) -> T {
    /// Takes the flag away however the run ends.
    struct Over;
    impl Drop for Over {
        fn drop(&mut self) {
            STOP.with(|now| now.borrow_mut().take());
        }
    }
    STOP.with(|now| now.borrow_mut().replace(Arc::clone(stop)));
    let _over = Over;
    run()
}

/// Asked by the engine, on the thread that runs it, whether to give up.
#[expect(unsafe_code, reason = "the type of the callback is unsafe; this one is safe to call")]
pub(crate) unsafe extern "C" fn is_stopped(_: *mut c_void) -> bool {
    #[cfg(test)]
    ASKED.set(ASKED.get() + 1);
    STOP.with(|now| now.borrow().as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)))
}

#[cfg(test)]
thread_local! {
    static ASKED: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

/// How often runs on this thread have asked whether to give up.
#[cfg(test)]
pub(crate) fn asked() -> u32 {
    ASKED.get()
}

type Begin = unsafe extern "C" fn(sys::ggml_backend_dev_t, *const c_char) -> sys::ggml_backend_t;

/// What ggml knows of a device, as `ggml_backend_device` in its `ggml-backend-impl.h`.
#[repr(C)]
struct Device {
    name: *const c_void,
    description: *const c_void,
    memory: *const c_void,
    kind: *const c_void,
    properties: *const c_void,
    begin: Option<Begin>,
    /// Nine more functions.
    others: [*const c_void; 9],
    registry: sys::ggml_backend_reg_t,
    context: *mut c_void,
}

/// How ggml itself begins to work on the processor.
static BEGIN: OnceLock<Begin> = OnceLock::new();

/// Has all that is loaded from now on ask [`is_stopped`]. Must be called before anything is loaded. Gives whether
/// it could; without, a run ends later when it is told to.
#[expect(unsafe_code, reason = "ggml's functions, and the description of the processor that it keeps")]
pub(crate) fn prepare() -> bool {
    static PREPARED: OnceLock<bool> = OnceLock::new();
    *PREPARED.get_or_init(|| {
        // SAFETY: the description lives as long as the program and is of the version that is built in; that it
        // is as long as it should be is looked at first. Nothing else reads it meanwhile: whatever does is
        // loaded after this.
        unsafe {
            let device = sys::ggml_backend_dev_by_type(sys::ggml_backend_dev_type_GGML_BACKEND_DEVICE_TYPE_CPU);
            if device.is_null() {
                return false;
            }
            let registry = sys::ggml_backend_dev_backend_reg(device);
            let device: *mut Device = device.cast();
            let Some(begin) = (*device).begin.filter(|_| (*device).registry == registry) else { return false };
            let _ = BEGIN.set(begin);
            (*device).begin = Some(begun);
            true
        }
    })
}

/// Begins to work on the processor, and asks.
#[expect(unsafe_code, reason = "ggml's functions")]
unsafe extern "C" fn begun(device: sys::ggml_backend_dev_t, params: *const c_char) -> sys::ggml_backend_t {
    let Some(begin) = BEGIN.get() else { return std::ptr::null_mut() };
    // SAFETY: called as ggml does, with what it gave; the function of that name has this type.
    unsafe {
        let backend = begin(device, params);
        let registry = sys::ggml_backend_dev_backend_reg(device);
        let set = sys::ggml_backend_reg_get_proc_address(registry, c"ggml_backend_set_abort_callback".as_ptr());
        let set = std::mem::transmute::<*mut c_void, sys::ggml_backend_set_abort_callback_t>(set);
        if let Some(set) = set.filter(|_| !backend.is_null()) {
            set(backend, Some(is_stopped), std::ptr::null_mut());
        }
        backend
    }
}
