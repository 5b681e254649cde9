//! Where the windows come up: what the toolkit knows of monitors, pointer and places. Where a window
//! belongs is decided in `places.rs`.

use std::sync::{Mutex, PoisonError};

use tauri::{AppHandle, Manager as _, PhysicalPosition, PhysicalSize, WebviewWindow};

use super::{MAIN_SIZE, REVIEW, REVIEW_SIZE};
use crate::places::{Area, Monitor, Places, Spot};

/// The places that the windows had.
#[derive(Debug)]
pub(crate) struct Spots(pub(crate) Mutex<Places>);

/// Moves a hidden window to its place on the monitor with the pointer. One that can be seen stays where
/// it is.
pub(super) fn come_to_pointer(window: &WebviewWindow) -> tauri::Result<()> {
    if window.is_visible()? {
        return Ok(());
    }
    let size = if window.label() == REVIEW { REVIEW_SIZE } else { MAIN_SIZE };
    let pointer = window.cursor_position().ok().map(|pointer| (pointer.x, pointer.y));
    let monitors = monitors(window)?;
    let spots = window.state::<Spots>();
    let spot = spots.0.lock().unwrap_or_else(PoisonError::into_inner).spot(window.label(), &monitors, pointer, size);
    let Some(Spot { area, maximized }) = spot else { return Ok(()) };
    window.set_size(PhysicalSize::new(area.width, area.height))?;
    window.set_position(PhysicalPosition::new(area.x, area.y))?;
    if maximized { window.maximize() } else { Ok(()) }
}

/// Keeps where a window is, if it can be seen.
pub(crate) fn remember(window: &WebviewWindow) {
    let spot = match spot_of(window) {
        Ok(Some(spot)) => spot,
        Ok(None) => return,
        Err(error) => return tracing::debug!(%error, "a window's place is unknown"),
    };
    let kept = monitors(window).map(|monitors| {
        let spots = window.state::<Spots>();
        spots.0.lock().unwrap_or_else(PoisonError::into_inner).remember(window.label(), &monitors, spot)
    });
    match kept {
        Ok(Ok(())) => {}
        Ok(Err(fault)) => tracing::warn!(%fault, "a window's place is kept for this run only"),
        Err(error) => tracing::debug!(%error, "the monitors are unknown"),
    }
}

/// Keeps where all windows are.
pub(crate) fn remember_all(app: &AppHandle) {
    app.webview_windows().values().for_each(remember);
}

fn spot_of(window: &WebviewWindow) -> tauri::Result<Option<Spot>> {
    if !window.is_visible()? || window.is_minimized()? {
        return Ok(None);
    }
    let (corner, size) = (window.outer_position()?, window.inner_size()?);
    let area = Area { x: corner.x, y: corner.y, width: size.width, height: size.height };
    Ok(Some(Spot { area, maximized: window.is_maximized()? }))
}

fn monitors(window: &WebviewWindow) -> tauri::Result<Vec<Monitor>> {
    let all = window.available_monitors()?.into_iter();
    Ok(all
        .map(|monitor| {
            let (at, size, work) = (monitor.position(), monitor.size(), monitor.work_area());
            Monitor {
                name: monitor.name().cloned().unwrap_or_default(),
                area: Area { x: at.x, y: at.y, width: size.width, height: size.height },
                work_area: Area {
                    x: work.position.x,
                    y: work.position.y,
                    width: work.size.width,
                    height: work.size.height,
                },
                scale: monitor.scale_factor(),
            }
        })
        .collect())
}
