//! The harness itself: that it sees the sockets by which a program would speak to others. Were it blind, the tests that find
//! none would find none of any program.

use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};

use gate_tests::{Process, address_in_table, sockets_of};

#[test]
fn sockets_are_seen_and_told_apart() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let stream = TcpStream::connect(listener.local_addr().expect("its address")).expect("a connection");
    let free = UdpSocket::bind("0.0.0.0:0").expect("a port");
    let this = Process::open(std::process::id()).expect("this process");
    let all = sockets_of(&[this]);
    let of = |local: SocketAddr| all.iter().find(|socket| socket.local == local).expect("it is seen");
    let listening = of(listener.local_addr().expect("its address"));
    assert!(listening.stays_here() && listening.remote.port() == 0, "only this machine comes to it: {listening:?}");
    let connected = of(stream.local_addr().expect("its address"));
    assert_eq!(connected.remote, listener.local_addr().expect("its address"), "whom it speaks to");
    assert!(connected.stays_here(), "{connected:?}");
    let free = of(free.local_addr().expect("its address"));
    assert!(!free.stays_here(), "it may send to anybody: {free:?}");
}

#[test]
fn addresses_are_read_as_the_system_writes_them() {
    if cfg!(target_endian = "little") {
        assert_eq!(address_in_table("0100007F:1F90"), "127.0.0.1:8080".parse().ok());
        let mapped = address_in_table("0000000000000000FFFF00000100007F:0050");
        assert_eq!(mapped, "[::ffff:127.0.0.1]:80".parse().ok());
    }
    assert_eq!(address_in_table("00000000:0000"), "0.0.0.0:0".parse().ok(), "none yet");
    assert_eq!([address_in_table("01007F:1"), address_in_table("nonsense")], [None, None]);
}
